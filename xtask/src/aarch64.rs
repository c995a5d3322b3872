//! The same bits on aarch64 as on x86-64, shown under emulation; and wheels for both, built here.

use std::fs;
use std::path::{Path, PathBuf};

use crate::apt;
use crate::process::{EXTENSION, Failure, cargo, program, run, succeeds};
use crate::python::{self, Environment};
use crate::steps::Steps;

const TARGET: &str = "aarch64-unknown-linux-gnu";
const HERE: &str = "x86_64-unknown-linux-gnu";

/// The libraries of the other machine, where Debian's packages for cross-compilation put them.
const SYSTEM: &str = "/usr/aarch64-linux-gnu";

/// Builds wheels for systems as old as glibc 2.28: the linker of Zig knows the symbols of every version.
const WHEELS: Environment =
    Environment { folder: "python-wheels", requirements: "xtask/requirements-wheels.txt" };

/// Pages whose blocks are run by the emulated program, and must print the same.
const PAGES: [&str; 4] = ["docs/quickstart.md", "docs/gates.md", "docs/judges.md", "examples/README.md"];

/// What the wheel computes, with every bit.
const CODE: &str = "import platform, sys, labelwise as lw\n\
    e = lw.Evaluation([[i % 97 / 97, 1 - i % 97 / 97] for i in range(500)], loss='log_loss', seed=7)\n\
    e.run(120, lambda i: i % 3 % 2)\n\
    f = e.estimate()\n\
    print('numbers', e.draws()['item'].tolist()[:8], *[x.hex() for x in (f.value, f.low, f.high)])\n\
    print(platform.machine(), sys.version.split()[0], file=sys.stderr)";

const STEPS: [&str; 5] = ["tools", "bits", "program", "wheels", "wheel under emulation"];

/// Runs all of it.
pub(crate) fn run_all(root: &Path) -> Result<(), Failure> {
    let mut steps = Steps::new(&STEPS);
    let scripts = steps.run("tools", || tools(root))?;
    steps.run("bits", || run(emulated(root).args(["test", "-p", "labelwise-models", "--test", "bits"])))?;
    steps.run("program", || same_pages(root, &scripts))?;
    let [here, there] = steps.run("wheels", || wheels(root))?;
    steps.run("wheel under emulation", || same_numbers(root, &here, &there))?;
    steps.print_times();
    Ok(())
}

/// Installs what compiles and emulates; returns the Python of the scripts.
fn tools(root: &Path) -> Result<PathBuf, Failure> {
    run(program("rustup", root).args(["target", "add", TARGET, HERE]))?;
    let works = |tool: &str| succeeds(program(tool, root).arg("--version"));
    if !(works("qemu-aarch64") && works("aarch64-linux-gnu-gcc") && Path::new(SYSTEM).exists()) {
        apt::install(root, &["qemu-user", "gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"])?;
    }
    python::environment(root, &python::SCRIPTS)
}

/// Cargo for the other machine, whose programs run under emulation.
fn emulated(root: &Path) -> std::process::Command {
    let mut command = cargo(root);
    command
        .env("CARGO_BUILD_TARGET", TARGET)
        .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc")
        .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", format!("qemu-aarch64 -L {SYSTEM}"));
    command
}

/// Runs console blocks of the book by the emulated program, and compares what it prints with the page.
fn same_pages(root: &Path, scripts: &Path) -> Result<(), Failure> {
    run(emulated(root).args(["build", "--locked", "-p", "labelwise-cli", "--bin", "labelwise"]))?;
    let folder = root.join("target").join(TARGET);
    let built = folder.join("debug").join("labelwise");
    let started = folder.join("emulated").join("labelwise");
    let lines = format!("#!/bin/sh\nexec qemu-aarch64 -L {SYSTEM} '{}' \"$@\"\n", built.display());
    let written = fs::create_dir_all(folder.join("emulated")).and_then(|()| fs::write(&started, lines));
    written.map_err(|error| Failure::new(format!("`{}` cannot be written: {error}.", started.display())))?;
    run(program("chmod", root).arg("+x").arg(&started))?;
    run(program(&started, root).arg("--version"))?;
    run(program(scripts, root).arg("scripts/blocks.py").args(PAGES).env("LABELWISE_PROGRAM", &started))
}

/// Wheels for this machine and the other.
fn wheels(root: &Path) -> Result<[PathBuf; 2], Failure> {
    let python = python::environment(root, &WHEELS)?;
    let folder = root.join("target").join("dist");
    let one = |target: &str, machine: &str| {
        run(program(&python, root)
            .args(["-m", "maturin", "build", "--release", "--locked", "--zig", "--target", target])
            .args(["--manifest-path", "python/Cargo.toml", "--compatibility", "manylinux_2_28", "--out"])
            .arg(&folder)
            .env("PATH", python::search_path(&python)?)
            .envs(EXTENSION))?;
        let ending = format!("{machine}.whl");
        let named = |path: &PathBuf| path.to_string_lossy().ends_with(&ending);
        fs::read_dir(&folder)
            .ok()
            .and_then(|mut files| files.find_map(|file| file.ok().map(|file| file.path()).filter(named)))
            .ok_or_else(|| Failure::new(format!("maturin built no wheel for {machine}.")))
    };
    Ok([one(HERE, "x86_64")?, one(TARGET, "aarch64")?])
}

/// Computes the same with both wheels, and compares every bit.
fn same_numbers(root: &Path, here: &Path, there: &Path) -> Result<(), Failure> {
    let bare = python::bare(root, "python-bare")?;
    run(program(&bare, root).args(["-m", "pip", "install", "--quiet"]).arg(here))?;
    let of_here = said(program(&bare, root).args(["-c", CODE]))?;
    let system = root.join("target").join("aarch64");
    let mut emulated = program(&bare, root);
    emulated.arg("scripts/emulated_python.py").arg(system).arg(there).arg(CODE);
    let of_there = said(&mut emulated)?;
    print!("x86-64:  {of_here}aarch64: {of_there}");
    if of_here.starts_with("numbers") && of_here == of_there {
        Ok(())
    } else {
        Err(Failure::new("The wheels compute different numbers."))
    }
}

/// What a program prints.
fn said(command: &mut std::process::Command) -> Result<String, Failure> {
    let output = command.stderr(std::process::Stdio::inherit()).output();
    let output = output.map_err(|error| Failure::new(format!("Python could not be started: {error}.")))?;
    if !output.status.success() {
        return Err(Failure::new(format!("Python failed ({}).", output.status)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
