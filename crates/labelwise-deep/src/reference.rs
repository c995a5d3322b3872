//! Logits of every network compared with PyTorch's for the same weights and images. `scripts/make_network_fixtures.py` made
//! the file, and says how weights depend on their names.

use burn_tensor::{DType, Device, Tensor, TensorData};

use crate::Shape;
use crate::architecture::{Architecture, Family};
use crate::layout::{Entry, Pass};
use crate::nets::{Net, TwoConvolutions};

const CLASSES: usize = 5;
const IMAGES: [usize; 4] = [3, 3, 18, 17];

/// CRC-32, bit by bit, as zlib has it.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
    })
}

fn sines(name: &str, count: usize) -> impl Iterator<Item = f64> {
    let phase = f64::from(crc32(name.as_bytes()) % 1000);
    (0..count).map(move |place| (0.618 * place as f64 + phase).sin())
}

/// In f64, since the statistics of three images make much of a last bit of f32.
fn doubles(numbers: impl Iterator<Item = f64>) -> Tensor<1> {
    // As networks keep them.
    let numbers: Vec<f64> = numbers.map(|number| f64::from(number as f32)).collect();
    let size = numbers.len();
    Tensor::from_data(TensorData::new(numbers, [size]), (&Device::default(), DType::F64))
}

/// The numbers of a parameter or a running statistic: weights by the number of their inputs.
fn value(entry: &Entry) -> Tensor<1> {
    let (middle, spread) = match entry.name.rsplit('.').next().unwrap() {
        "weight" => {
            let inputs: usize = match entry.shape[..] {
                [_, from, height, width] => from * height * width,
                [from, _] => from,
                _ => panic!("{entry:?}"),
            };
            (0.0, 2.0 / (inputs as f64).sqrt())
        }
        "gamma" => (1.0, 0.3),
        "variance" => (1.0, 0.5),
        "beta" | "mean" | "bias" => (0.0, 0.1),
        other => panic!("{other}"),
    };
    doubles(sines(&entry.name, entry.size()).map(|sine| middle + spread * sine))
}

/// The network under a radial posterior without the posterior.
fn plain(layout: &mut crate::layout::Layout, shape: Shape) -> Box<dyn Net> {
    Box::new(TwoConvolutions::new(layout, shape, CLASSES, |channels| channels))
}

fn logits(name: &str, training: bool) -> Vec<f64> {
    let [_, channels, height, width] = IMAGES;
    let shape = Shape::new(channels, height, width).unwrap();
    let narrow = |family: Family| Architecture::from(family).width(0.125).unwrap();
    let architecture = match name {
        "resnet-18" => narrow(Family::ResNet18),
        "resnet-34" => narrow(Family::ResNet34),
        "resnet-50" => narrow(Family::ResNet50),
        "wide-resnet-16-2" => Family::WideResNet { depth: 16, widen: 2 }.into(),
        "small-cnn" => Architecture::small_cnn(),
        "radial-bnn" => Architecture::radial_bnn(),
        other => panic!("{other}"),
    };
    let mut plan = architecture.plan(shape, CLASSES).unwrap();
    if plan.radial.is_some() {
        plan.layout = crate::layout::Layout::default();
        plan.net = plain(&mut plan.layout, shape);
    }
    let [trained, running] = [&plan.layout.trained, &plan.layout.running]
        .map(|entries| entries.iter().map(value).collect::<Vec<_>>());
    let images = doubles(sines("images", IMAGES.iter().product())).reshape(IMAGES);
    let mut pass =
        if training { Pass::training(&trained, &running) } else { Pass::inference(&trained, &running) };
    plan.net.logits(&mut pass, images).into_data_as::<f64>().try_into_vec().unwrap()
}

#[test]
fn logits_are_those_of_pytorch() {
    let file = include_str!("../tests/fixtures/logits.csv");
    let rows: Vec<Vec<&str>> = file.lines().skip(2).map(|line| line.split(',').collect()).collect();
    // Six networks, in training and after it, three images each.
    assert_eq!(rows.len(), 6 * 2 * 3);
    for rows in rows.chunks(3) {
        let (name, training) = (rows[0][0], rows[0][1] == "1");
        let expected = rows.iter().flat_map(|row| &row[3..]).map(|field| field.parse::<f64>().unwrap());
        let expected: Vec<f64> = expected.collect();
        let size = expected.iter().fold(0.0_f64, |size, logit| size.max(logit.abs()));
        for (own, expected) in logits(name, training).into_iter().zip(expected) {
            assert!((own - expected).abs() < 1e-6 * size, "{name}, training {training}: {own} {expected}");
        }
    }
}
