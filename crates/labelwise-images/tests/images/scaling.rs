use labelwise_images::{Images, Scaling, Shape};

fn coloured() -> Images {
    let shape = Shape { channels: 3, height: 2, width: 2 };
    let pixels = (0..5 * 12).map(|place: u32| (place * place % 251) as u8).collect();
    Images::new(shape, pixels, vec![0, 1, 2, 0, 1], 3).unwrap()
}

#[test]
fn every_channel_has_mean_0_and_standard_deviation_1_over_the_images_it_was_made_of() {
    let images = coloured();
    let features = Scaling::of(&images).unwrap().features(&images).unwrap();
    let rows = features.singles().unwrap();
    for channel in 0..3 {
        let values: Vec<f64> = rows
            .chunks(12)
            .flat_map(|row| &row[channel * 4..(channel + 1) * 4])
            .map(|&value| value.into())
            .collect();
        let mean = values.iter().sum::<f64>() / 20.0;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 20.0;
        assert!(mean.abs() < 1e-6, "mean {mean} of channel {channel}");
        assert!((variance - 1.0).abs() < 1e-5, "variance {variance} of channel {channel}");
    }
}

#[test]
fn other_images_are_scaled_by_the_numbers_of_those_that_were_learnt_from() {
    let images = coloured();
    let scaling = Scaling::of(&images.select(&[0, 1]).unwrap()).unwrap();
    let features = scaling.features(&images).unwrap();
    let pixel = f64::from(images.image(4).unwrap()[5]) / 255.0;
    let expected = (pixel - scaling.means()[1]) / scaling.std_devs()[1];
    assert!((features.reader().row(4)[5] - expected).abs() < 1e-6);
}

#[test]
fn a_channel_without_spread_is_only_centred() {
    let shape = Shape { channels: 1, height: 1, width: 3 };
    let images = Images::new(shape, vec![201; 6], vec![0, 1], 2).unwrap();
    let scaling = Scaling::of(&images).unwrap();
    assert_eq!(scaling.std_devs(), [0.0]);
    let other = Images::new(shape, vec![201, 0, 255], vec![0], 2).unwrap();
    let features = scaling.features(&other).unwrap();
    let expected = [0.0, -201.0 / 255.0, 54.0 / 255.0];
    let close = features
        .reader()
        .row(0)
        .iter()
        .zip(expected)
        .all(|(value, expected)| (value - expected).abs() < 1e-6);
    assert!(close, "{:?}", features.singles());
}

#[test]
fn features_and_labels_are_what_learners_take() {
    let images = coloured();
    let data = images.data(&Scaling::of(&images).unwrap()).unwrap();
    assert_eq!(data.labels, [0, 1, 2, 0, 1]);
    assert_eq!((data.features.rows(), data.features.columns()), (5, 12));
}
