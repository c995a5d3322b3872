"""Run a program of Python for aarch64 on another Linux: Debian's Python under emulation, NumPy and a wheel as pip unpacks them.

    python scripts/emulated_python.py FOLDER WHEEL CODE

FOLDER keeps what was downloaded. It needs apt-get (a Debian or Ubuntu) and qemu-aarch64; nothing is installed into the system.
"""

import pathlib
import shutil
import subprocess
import sys

PACKAGES = ["python3-minimal", "libpython3-stdlib", "libc6", "libgcc-s1", "libstdc++6", "zlib1g", "libexpat1", "libffi8", "libssl3", "liblzma5", "libbz2-1.0"]


def run(*command, **options):
    subprocess.run([str(word) for word in command], check=True, **options)


def unpacked(folder):
    """The root of a system for aarch64 with Python in it."""
    root = folder / "root"
    if (folder / "done").exists():
        return root
    shutil.rmtree(folder, ignore_errors=True)
    lists, packages = folder / "lists", folder / "packages"
    (lists / "partial").mkdir(parents=True)
    packages.mkdir()
    # Lists of its own: the system itself stays one of a single architecture.
    own = ["-q", "-o", "APT::Architectures::=amd64", "-o", "APT::Architectures::=arm64", "-o", f"Dir::State::lists={lists}", "-o", "APT::Sandbox::User=root"]
    run("apt-get", *own, "update", stdout=subprocess.DEVNULL)
    named = subprocess.run(["apt-cache", *own[1:], "depends", "--recurse", "--no-recommends", "--no-suggests", "--no-enhances", "--no-conflicts", "--no-breaks", "--no-replaces", "python3-minimal:arm64", "libpython3-stdlib:arm64"], check=True, capture_output=True, text=True).stdout  # fmt: skip
    pythons = {line for line in named.splitlines() if line.startswith(("python3", "libpython3")) and line.endswith(":arm64")}
    run("apt-get", *own, "download", *sorted(pythons), *[f"{name}:arm64" for name in PACKAGES[2:]], cwd=packages, stdout=subprocess.DEVNULL)
    for package in sorted(packages.glob("*.deb")):
        run("dpkg", "-x", package, root)
    (folder / "done").touch()
    return root


def main():
    folder, wheel, code = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    root = unpacked(folder)
    python = next(path for path in sorted((root / "usr/bin").glob("python3.*")) if not path.name.endswith("config"))
    site = folder / "site"
    shutil.rmtree(site, ignore_errors=True)
    platforms = [f"--platform=manylinux{name}_aarch64" for name in ("_2_28", "_2_27", "_2_17", "2014")]
    version = python.name.removeprefix("python")
    run(sys.executable, "-m", "pip", "install", "-q", "--target", site, "--only-binary=:all:", *platforms, "--python-version", version, "--implementation", "cp", wheel)
    # A path in which everything of the other system is found first, and this one's files last.
    run("qemu-aarch64", "-L", root, python, "-c", code, env={"PYTHONPATH": str(site), "PYTHONHOME": str(root / "usr"), "PYTHONDONTWRITEBYTECODE": "1"})


if __name__ == "__main__":
    main()
