"""Download a source distribution as pip would, and take files out of it.

No script of the package is run: `pip download` itself would run its setup.py.
"""

import io
import pathlib
import posixpath
import sys
import zipfile

from pip._internal.commands import create_command
from pip._vendor.packaging.specifiers import SpecifierSet

NAME, VERSION, FOLDER, *FILES = sys.argv[1:]
LARGEST = 1 << 26


def run(options, _arguments):
    """Do what the command does in place of pip's own `download`."""
    session = command.get_default_session(options)
    finder = command._build_package_finder(options=options, session=session)
    found = finder.find_best_candidate(NAME, SpecifierSet(f"=={VERSION}"))
    if found.best_candidate is None:
        print(f"ERROR: pip finds no {NAME} {VERSION}", file=sys.stderr)
        return 1
    answer = session.get(found.best_candidate.link.url_without_fragment)
    answer.raise_for_status()
    with zipfile.ZipFile(io.BytesIO(answer.content)) as package:
        for entry in package.infolist():
            name = posixpath.basename(entry.filename)
            if name in FILES and entry.file_size <= LARGEST:
                (pathlib.Path(FOLDER) / name).write_bytes(package.read(entry))
    return 0


command = create_command("download")
command.run = run
OPTIONS = ["--no-binary", ":all:", "--disable-pip-version-check", "--no-input", NAME]
sys.exit(command.main(OPTIONS))
