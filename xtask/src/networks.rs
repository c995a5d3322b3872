//! The benchmark of networks compared with PyTorch: what is written in Rust, and then the same networks computed by PyTorch's own
//! library.

use std::path::Path;
use std::process::Command;

use crate::process::{Failure, cargo, program, run};
use crate::{package, python};

/// Installs PyTorch where it is missing, and runs both.
pub(crate) fn bench(root: &Path, options: &[&str]) -> Result<(), Failure> {
    let python = python::environment(root, &python::SCRIPTS)?;
    crate::install(&python, root, "benches/requirements-networks.txt")?;
    // The example of the Python package that needs PyTorch runs where PyTorch is.
    package::release_into(root, &python)?;
    run(program(&python, root).arg("python/examples/pytorch.py"))?;
    run(networks(root, &python, &[]).args(["--"]).args(options))?;
    println!("\nWith libtorch:\n");
    run(networks(root, &python, &["--features", "tch"])
        .args(["--"])
        .args(options)
        // Both are asked for by the crate that finds libtorch: PyTorch's, of the first Python in the path.
        .env("LIBTORCH_USE_PYTORCH", "1")
        .env("PATH", python::search_path(&python)?)
        .env("LD_LIBRARY_PATH", libraries(&python, root)?))
}

fn networks(root: &Path, python: &Path, features: &[&str]) -> Command {
    let mut command = cargo(root);
    command.args(["bench", "-p", "labelwise-deep", "--bench", "networks"]).args(features);
    command.env("LABELWISE_PYTHON", python);
    command
}

/// The folder of PyTorch's libraries.
fn libraries(python: &Path, root: &Path) -> Result<String, Failure> {
    let said = "import pathlib, torch; print(pathlib.Path(torch.__file__).parent / 'lib')";
    let output = program(python, root).args(["-c", said]).output();
    let output = output.map_err(|error| Failure::new(format!("Python could not be started: {error}.")))?;
    if !output.status.success() {
        return Err(Failure::new("PyTorch cannot be imported by the Python of these tasks."));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
