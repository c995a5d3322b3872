//! The benchmark of networks compared with PyTorch.

use std::path::Path;

use crate::process::{Failure, cargo, program, run};
use crate::{package, python};

/// Installs PyTorch where it is missing, and compares our kernels and then burn's with it.
pub(crate) fn bench(root: &Path, options: &[&str]) -> Result<(), Failure> {
    let python = python::environment(root, &python::SCRIPTS)?;
    crate::install(&python, root, "benches/requirements-networks.txt")?;
    // The example of the Python package that needs PyTorch runs where PyTorch is.
    package::release_into(root, &python)?;
    run(program(&python, root).arg("python/examples/pytorch.py"))?;
    for (kernels, features) in [("labelwise", ""), ("burn", "burn-kernels")] {
        println!("\nConvolutions and normalisation of {kernels}:\n");
        run(cargo(root)
            .args(["bench", "-p", "labelwise-deep", "--bench", "networks", "--features", features, "--"])
            .args(options)
            .env("LABELWISE_PYTHON", &python))?;
    }
    Ok(())
}
