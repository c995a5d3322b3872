//! `labelwise paper data` where nothing has to be fetched, or nothing can be; fetching itself is tested with the real
//! clients, in scripts.

use std::fs;

use insta::assert_snapshot;

use crate::run::{Folder, told};

/// The transcript of a run that finds neither curl nor the client of any package.
fn without_clients(folder: &Folder, arguments: &[&str]) -> String {
    let nothing = folder.path("nothing");
    fs::create_dir_all(&nothing).unwrap();
    let output = folder.command(arguments).env("PATH", &nothing).output().unwrap();
    told(arguments, &output).unwrap().replace(folder.path("").to_str().unwrap(), "<folder>/")
}

/// Images of CIFAR-100 in its binary layout.
fn cifar_100(images: u8) -> Vec<u8> {
    (0..images).flat_map(|image| [vec![image % 20, image], vec![image; 3072]].concat()).collect()
}

fn with_cifar_100() -> Folder {
    let folder = Folder::new().with("data/cifar-100/readme.txt", "");
    fs::write(folder.path("data/cifar-100/train.bin"), cifar_100(100)).unwrap();
    fs::write(folder.path("data/cifar-100/test.bin"), cifar_100(20)).unwrap();
    folder
}

#[test]
fn help_of_data() {
    assert_snapshot!("help", Folder::new().transcript(&["paper", "data", "--help"]));
}

#[test]
fn a_set_without_the_client_of_its_package() {
    for set in ["mnist", "fashion-mnist", "cifar-10"] {
        let folder = Folder::new();
        assert_snapshot!(
            format!("error_no_client_{set}"),
            without_clients(&folder, &["paper", "data", set, "--data", "data"])
        );
        let left: Vec<_> =
            fs::read_dir(folder.path("data")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, [".fetching.lock"], "nothing is kept");
    }
}

#[test]
fn cifar_100_is_told_where_to_be_put_and_found_when_it_is_there() {
    let folder = Folder::new();
    assert_snapshot!(
        "error_cifar_100",
        without_clients(&folder, &["paper", "data", "cifar-100", "--data", "data"])
    );
    let folder = with_cifar_100();
    assert_snapshot!(
        "cifar_100",
        without_clients(&folder, &["paper", "data", "cifar-100", "--data", "data"])
    );
    let found = folder.json(&["paper", "data", "cifar-100", "--data", "data", "--json"]);
    assert_snapshot!("cifar_100_json", serde_json::to_string_pretty(&found).unwrap());
}

#[test]
fn errors() {
    let folder = with_cifar_100();
    fs::write(folder.path("data/cifar-100/test.bin"), &cifar_100(20)[..5000]).unwrap();
    assert_snapshot!("error_damaged", folder.transcript(&["paper", "data", "cifar-100", "--data", "data"]));
    let folder = Folder::new().with("data/mnist/train-images-idx3-ubyte", "no image").with("file", "");
    assert_snapshot!("error_checksum", folder.transcript(&["paper", "data", "mnist", "--data", "data"]));
    assert_eq!(fs::read(folder.path("data/mnist/train-images-idx3-ubyte")).unwrap(), b"no image");
    assert_snapshot!(
        "error_json",
        folder.transcript(&["paper", "data", "mnist", "--data", "data", "--json"])
    );
    assert_snapshot!("error_folder", folder.transcript(&["paper", "data", "mnist", "--data", "file"]));
    assert_snapshot!("error_set", folder.transcript(&["paper", "data", "imagenet"]));
    assert_snapshot!(
        "error_figure_option",
        folder.transcript(&["paper", "data", "mnist", "--scale", "smoke"])
    );
}

#[test]
fn the_folder_is_that_of_the_option_or_the_variable_or_the_user() {
    let folder = with_cifar_100();
    let arguments = ["paper", "data", "cifar-100"];
    let run = |set: &dyn Fn(&mut std::process::Command)| {
        let mut command = folder.command(&arguments);
        // Without curl nothing is asked of anybody.
        command.env_remove("XDG_DATA_HOME").env_remove("HOME").env("PATH", folder.path("nothing"));
        set(&mut command);
        told(&arguments, &command.output().unwrap())
            .unwrap()
            .replace(folder.path("").to_str().unwrap(), "<folder>/")
    };
    let (data, users) = (folder.path("data"), folder.path("users"));
    let by_variable = run(&|command| {
        command.env("LABELWISE_DATA", &data);
    });
    assert!(by_variable.contains("CIFAR-100 is in <folder>/data/cifar-100: "), "{by_variable}");
    let by_user = run(&|command| {
        command.env("XDG_DATA_HOME", &users);
    });
    assert!(by_user.contains("into <folder>/users/labelwise/cifar-100"), "{by_user}");
    let by_home = run(&|command| {
        command.env("HOME", &users).env("XDG_DATA_HOME", "not/absolute").env("LABELWISE_DATA", "");
    });
    assert!(by_home.contains("into <folder>/users/.local/share/labelwise/cifar-100"), "{by_home}");
    assert_snapshot!("error_no_folder", run(&|_| {}));
}
