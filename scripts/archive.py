"""Pack a release: the program, its manual pages and completions, licences. The same program gives the same bytes.

    python scripts/archive.py PROGRAM TARGET FOLDER

FOLDER gets `labelwise-VERSION-TARGET.tar.gz` and beside it its SHA-256, as `sha256sum -c` reads it.
"""

import gzip
import hashlib
import io
import pathlib
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
SHELLS = {"bash": "labelwise.bash", "zsh": "_labelwise", "fish": "labelwise.fish", "powershell": "_labelwise.ps1", "elvish": "labelwise.elv"}
TEXTS = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "SECURITY.md"]


def said(program, *arguments):
    """What the program prints."""
    return subprocess.run([program, *arguments], check=True, capture_output=True).stdout


def contents(program):
    """The files of the archive, by their names in it."""
    name = "labelwise.exe" if str(program).endswith(".exe") else "labelwise"
    yield name, pathlib.Path(program).read_bytes(), 0o755
    for text in TEXTS:
        yield text, (ROOT / text).read_bytes(), 0o644
    font = ROOT / "crates" / "labelwise-plot" / "font" / "OFL.txt"
    yield "licences/Inter-OFL.txt", font.read_bytes(), 0o644
    for shell, file in SHELLS.items():
        yield f"completions/{file}", said(program, "completions", shell), 0o644
    with tempfile.TemporaryDirectory() as folder:
        said(program, "man", "--out", folder)
        for page in sorted(pathlib.Path(folder).iterdir()):
            yield f"man/{page.name}", page.read_bytes(), 0o644


def pack(program, target, folder):
    """Writes the archive and its checksum, and returns the archive's path."""
    program = pathlib.Path(program).resolve()
    version = said(program, "--version").decode().split()[1]
    name = f"labelwise-{version}-{target}"
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for file, data, mode in sorted(contents(program)):
            # No time, owner or order of this machine.
            entry = tarfile.TarInfo(f"{name}/{file}")
            entry.size, entry.mode, entry.mtime = len(data), mode, 0
            archive.addfile(entry, io.BytesIO(data))
    path = pathlib.Path(folder) / f"{name}.tar.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=packed, mode="wb", compresslevel=9, mtime=0) as file:
        file.write(raw.getvalue())
    path.write_bytes(packed.getvalue())
    digest = hashlib.sha256(packed.getvalue()).hexdigest()
    path.with_name(path.name + ".sha256").write_text(f"{digest}  {path.name}\n")
    return path


if __name__ == "__main__":
    print(pack(*sys.argv[1:4]))
