//! How many parameters networks have, against published numbers, and what shapes they take.

#![allow(missing_docs, clippy::unwrap_used, reason = "tests may fail loudly")]

use labelwise_deep::{Architecture, Error, Family, Radial, Shape};

fn cifar() -> Shape {
    Shape::new(3, 32, 32).unwrap()
}

#[test]
fn residual_networks_have_as_many_as_is_published() {
    // The numbers of the CIFAR-10 variants with a stem of 3 x 3 pixels.
    assert_eq!(Architecture::resnet18().parameters(cifar(), 10).unwrap(), 11_173_962);
    assert_eq!(Architecture::resnet34().parameters(cifar(), 10).unwrap(), 21_282_122);
    assert_eq!(Architecture::resnet50().parameters(cifar(), 10).unwrap(), 23_520_842);
}

#[test]
fn wide_residual_networks_have_as_many_as_is_published() {
    // Zagoruyko and Komodakis, 2016: 0.6, 2.2 and 8.9 million for WRN-40 with k = 1, 2 and 4, and 36.5 for WRN-28-10.
    let count = |depth, widen| {
        let wide = Architecture::from(Family::WideResNet { depth, widen });
        wide.parameters(cifar(), 10).unwrap()
    };
    assert_eq!(count(40, 1), 563_930);
    assert_eq!(count(40, 2), 2_243_546);
    assert_eq!(count(40, 4), 8_949_210);
    assert_eq!(count(28, 10), 36_479_194);
    assert_eq!(Architecture::wide_resnet40(4).parameters(cifar(), 10).unwrap(), 8_949_210);
}

#[test]
fn a_radial_posterior_has_two_parameters_a_weight() {
    let digits = Shape::new(1, 28, 28).unwrap();
    let convolutions = (25 * 16 + 16) + (25 * 16 * 32 + 32);
    let connected = (32 * 4 * 4 * 128 + 128) + (128 * 10 + 10);
    let count = Architecture::radial_bnn().parameters(digits, 10).unwrap();
    assert_eq!(count, 2 * (convolutions + connected));
}

#[test]
fn widths_multiply_channels() {
    let narrow = Architecture::small_cnn().width(0.25).unwrap();
    let digits = Shape::new(1, 28, 28).unwrap();
    let expected = (9 * 8 + 8) + (9 * 8 * 16 + 16) + (16 * 7 * 7 * 32 + 32) + (32 * 10 + 10);
    assert_eq!(narrow.parameters(digits, 10).unwrap(), expected);
    // However narrow, a layer has a channel.
    assert!(Architecture::resnet18().width(1e-3).unwrap().parameters(cifar(), 10).unwrap() > 0);
    for width in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
        let refused = Architecture::resnet18().width(width);
        assert!(matches!(refused, Err(Error::Setting { .. })), "{width}");
    }
}

#[test]
fn impossible_networks_are_refused() {
    assert!(matches!(Shape::new(1, 0, 28), Err(Error::NoPixels(_))));
    let tiny = Shape::new(1, 15, 28).unwrap();
    let refused = Architecture::radial_bnn().parameters(tiny, 10).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "radial BNN needs images of at least 16 x 16 pixels, not of shape 1 x 15 x 28"
    );
    assert!(Architecture::radial_bnn().parameters(Shape::new(1, 16, 16).unwrap(), 10).is_ok());
    assert!(Architecture::small_cnn().parameters(Shape::new(1, 3, 9).unwrap(), 10).is_err());
    assert!(Architecture::resnet18().parameters(Shape::new(1, 1, 1).unwrap(), 10).is_ok());
    assert!(Architecture::resnet18().parameters(cifar(), 1).is_err());
    for (depth, widen) in [(41, 1), (4, 1), (0, 1), (40, 0), (40, 1_000)] {
        let wide = Architecture::from(Family::WideResNet { depth, widen });
        assert!(matches!(wide.parameters(cifar(), 10), Err(Error::Setting { .. })), "{depth} {widen}");
    }
    let wrong = [
        Radial { prior_std_dev: 0.0, ..Radial::default() },
        Radial { kl_weight: -1.0, ..Radial::default() },
        Radial { samples: 0, ..Radial::default() },
        Radial { training_samples: 0, ..Radial::default() },
        Radial { initial_rho: f64::NAN, ..Radial::default() },
    ];
    for radial in wrong {
        let refused = Architecture::from(Family::RadialBnn(radial)).parameters(cifar(), 10);
        assert!(matches!(refused, Err(Error::Setting { .. })), "{radial:?}");
    }
}

#[test]
fn architectures_are_written_and_read() {
    let wide = Architecture::wide_resnet40(2).width(0.5).unwrap();
    for architecture in [wide, Architecture::radial_bnn(), Architecture::resnet18()] {
        let text = serde_json::to_string(&architecture).unwrap();
        assert_eq!(serde_json::from_str::<Architecture>(&text).unwrap(), architecture, "{text}");
    }
    assert_eq!(wide.to_string(), "WideResNet-40-2 (width 0.5)");
}
