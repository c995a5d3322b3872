//! Temporary.
use labelwise::{Seed, Stream};
use labelwise_images::{Part, Scaling, Set, read};
use labelwise_paper::recipe::*;
use std::time::Instant;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let set: Set = a[1].parse().unwrap();
    let width: f64 = a[3].parse().unwrap();
    let (n, epochs, rate, batch): (usize, usize, f64, usize) = (a[4].parse().unwrap(), a[5].parse().unwrap(), a[6].parse().unwrap(), a[7].parse().unwrap());
    let s = |i: usize| a.get(i).and_then(|x| x.parse().ok()).unwrap_or(1);
    let family = match a[2].as_str() {
        "r18" => Family::ResNet18, "r34" => Family::ResNet34, "r50" => Family::ResNet50,
        "wrn" => Family::WideResNet40 { widen: 1 },
        _ => Family::RadialBnn { train_samples: s(8), test_samples: s(9) },
    };
    let radial = matches!(family, Family::RadialBnn { .. });
    let optimiser = if radial { Optimiser::Adam { rate, weight_decay: 1e-4 } } else { Optimiser::Sgd { rate, momentum: 0.9, weight_decay: 5e-4 } };
    let val = if n <= 500 { 50 } else { 500 };
    let training = Training { optimiser, rate: if radial { Rate::Constant } else { Rate::Cosine }, batch, epochs, patience: Some(epochs), validation: val, augmented: set == Set::Cifar10 || set == Set::Cifar100 };
    let folder = std::path::Path::new("/tmp/h/dl/data");
    let (train, test) = (read(set, Part::Train, folder).unwrap(), read(set, Part::Test, folder).unwrap());
    let rng = &mut Seed(1).stream(Stream::Split, 0);
    let train = train.select(&train.stratified(n, rng).unwrap()).unwrap();
    let test = test.select(&test.stratified(2000, rng).unwrap()).unwrap();
    let scaling = Scaling::of(&train).unwrap();
    let learner = labelwise_paper::workshop::trainer().unwrap().learner(set, &Network { family, width }, &training).unwrap();
    let start = Instant::now();
    let model = learner.fit(&train.data(&scaling).unwrap(), set.classes(), &mut Seed(1).stream(Stream::Fit, 0)).unwrap();
    let fit = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let p = model.predict(&scaling.features(&test).unwrap()).unwrap();
    let predict = start.elapsed().as_secs_f64();
    let mut r = p.reader();
    let (mut right, mut ce) = (0, 0.0);
    for (i, &l) in test.labels().iter().enumerate() {
        let row = r.row(i);
        let best = (0..row.len()).max_by(|a, b| row[*a].total_cmp(&row[*b])).unwrap();
        right += usize::from(best == usize::from(l));
        ce -= row[usize::from(l)].max(1e-15).ln();
    }
    println!("{} fit {fit:.1} s ({:.0} img/s) predict {predict:.2} s ({:.0} img/s) acc {:.3} ce {:.3}", a[1..].join(" "), (n * epochs) as f64 / fit, 2000.0 / predict, right as f64 / 2000.0, ce / 2000.0);
}
