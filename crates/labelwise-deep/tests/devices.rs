//! A network learns the same on the device that the build prefers as on the processor. Builds for the processor alone have
//! nothing to compare.

#![cfg(any(feature = "cuda", feature = "wgpu"))]
#![allow(missing_docs, clippy::unwrap_used, reason = "tests may fail loudly")]

use labelwise_deep::{Architecture, Device, Family, Network, Optimiser, Radial, Rate, Training};

mod digits;

use digits::{digits, enlarged, rng, short, table};

fn alike(one: f64, other: f64) -> bool {
    (one - other).abs() < 2e-3 * (1.0 + one.abs())
}

#[test]
fn networks_learn_the_same_on_every_device() {
    let (data, shape) = enlarged(&digits(0..32));
    let radial = Radial { training_samples: 2, samples: 4, ..Radial::default() };
    let families = [
        Architecture::small_cnn(),
        Architecture::resnet18().width(0.125).unwrap(),
        Architecture::resnet50().width(0.125).unwrap(),
        Architecture::from(Family::WideResNet { depth: 16, widen: 1 }),
        Architecture::from(Family::RadialBnn(radial)),
    ];
    for architecture in families {
        // Small steps, since large ones soon make much of a last bit.
        let (optimiser, rate) = (Optimiser::Adam, Rate::Constant(1e-4));
        let network = Network::new(architecture, shape, Training { optimiser, rate, ..short(3) }).unwrap();
        let on = |device: Device| network.clone().device(device).train(&data, 10, &mut rng(2)).unwrap();
        let (processor, preferred) = (on(Device::flex()), on(Device::default()));
        let losses = processor.history().iter().zip(preferred.history());
        for (one, other) in losses {
            let (one, other) = (one.training_loss, other.training_loss);
            assert!(alike(one, other), "{architecture}: {one} and {other}");
        }
        let [one, other] =
            [processor, preferred].map(|trained| table(&trained.predict(&data.features).unwrap()));
        assert!(one.iter().zip(&other).all(|(one, other)| alike(*one, *other)), "{architecture}");
    }
}
