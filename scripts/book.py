"""Builds the book of docs/ and checks every link in it: `python scripts/book.py [FOLDER]`.

Pages stay where they are, so that they can be read in the repository as well. This script copies them into FOLDER (by default
target/book) with links that fit there, builds them with Zensical, and checks the built pages. Zensical succeeds
Material for MkDocs, whose makers wrote it. It installs as a wheel in seconds; mdBook, the other generator that is
maintained, would be compiled for minutes.
"""

from __future__ import annotations

import html.parser
import re
import shutil
import subprocess
import sys
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent

# Pages that are not in docs/, by their names in the book.
ELSEWHERE = {
    "architecture.md": "ARCHITECTURE.md",
    "changelog.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
    "paper.md": "PAPER.md",
    "security-policy.md": "SECURITY.md",
    "style.md": "STYLE.md",
}

# Chapters, in order. A page that does not exist yet is left out; pages of docs/ that are named nowhere are under "More".
CHAPTERS: list[tuple[str, list[tuple[str, str]]]] = [
    ("Start", [("Home", "index.md"), ("Quick start", "quickstart.md"), ("Concepts", "concepts.md")]),
    (
        "Use",
        [
            ("Choosing a surrogate, a design, a metric", "choosing.md"),
            ("Judges and language models", "judges.md"),
            ("Labelling, also with several people", "labelling.md"),
            ("Label Studio", "label-studio.md"),
            ("Comparing and gating releases in CI", "gates.md"),
            ("Python", "python.md"),
            ("Rust", "rust.md"),
            ("Clusters", "clusters.md"),
            ("AlpacaEval with a tenth of the verdicts", "alpaca-eval.md"),
        ],
    ),
    (
        "How good it is",
        [
            ("How good the intervals are", "intervals.md"),
            ("Compared with other packages", "peers.md"),
            ("Defaults on many pools", "defaults.md"),
            ("Two pools in detail", "pools.md"),
            ("Coverage in a zoo of losses", "coverage.md"),
            ("Metrics that are not averages", "metrics.md"),
            ("Differences of models", "comparing.md"),
            ("Repeated looks", "stopping.md"),
            ("Samples chosen beforehand", "designs.md"),
            ("The paper, figure by figure", "gallery.md"),
            ("The paper: what was measured", "paper-results.md"),
            ("The paper's practical advice", "paper-advice.md"),
            ("The paper: text, released code, ours", "paper-deviations.md"),
            ("The paper: how the runs came to be", "paper-history.md"),
            ("Performance", "performance.md"),
            ("Reliability", "reliability.md"),
            ("Security", "security.md"),
        ],
    ),
    (
        "Reference",
        [
            ("The evaluation file", "file-format.md"),
            ("JSON output", "json.md"),
            ("Error codes", "errors.md"),
            ("Symbols and equations of the paper", "paper.md"),
            ("Extending", "contributing.md"),
            ("Architecture", "architecture.md"),
            ("Style", "style.md"),
            ("Reporting a vulnerability", "security-policy.md"),
            ("Changelog", "changelog.md"),
        ],
    ),
]

# On a phone, a diagram scrolls instead of becoming too small to read.
STYLE = """p:has(> img[src$=".svg"]) { overflow-x: auto; }
p > img[src$=".svg"] { min-width: 38rem; }
"""

LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^)\s]+)(\))")
FENCE = re.compile(r"^\s*(```+|~~~+)")


def repository() -> str:
    """The address of the project: a placeholder until there is one."""
    found = re.search(r"^repository-code: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert found, "CITATION.cff has no address"
    return found[1]


def pages() -> dict[str, Path]:
    """Every page of the book, by its name there."""
    found = {path.name: path for path in sorted((ROOT / "docs").glob("*.md"))}
    return found | {name: ROOT / path for name, path in ELSEWHERE.items()}


class Book:
    """The pages as they are copied, with what is wrong with their links."""

    def __init__(self, source: Path) -> None:
        self.source = source
        self.pages = pages()
        self.names = {path: name for name, path in self.pages.items()}
        self.wrong: list[str] = []

    def write(self) -> None:
        """Copies pages and pictures."""
        self.source.mkdir(parents=True)
        for name, path in self.pages.items():
            (self.source / name).write_text(self.page(path), encoding="utf-8")
        (self.source / "book.css").write_text(STYLE, encoding="utf-8")

    def page(self, path: Path) -> str:
        """A page whose links fit the book."""
        made: list[str] = []
        prose: list[str] = []
        fence = None

        def fit(link: re.Match[str]) -> str:
            return link[1] + self.target(path, link[2], link[1].startswith("!")) + link[3]

        def flush() -> None:
            # The text of a link may go on in the next line.
            made.extend(LINK.sub(fit, "\n".join(prose)).split("\n") if prose else [])
            prose.clear()

        for line in path.read_text(encoding="utf-8").splitlines():
            mark = FENCE.match(line)
            if fence is None and not mark:
                prose.append(line)
                continue
            flush()
            if mark:
                fence = None if fence and mark[1].startswith(fence) else fence or mark[1]
            made.append(line)
        flush()
        return "\n".join(made) + "\n"

    def target(self, path: Path, target: str, picture: bool) -> str:
        """A link as it is in the book."""
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            return target
        plain, _, anchor = target.partition("#")
        there = (path.parent / unquote(plain)).resolve()
        if not there.exists() or ROOT not in there.parents:
            self.wrong.append(f"{path.relative_to(ROOT)}: {target} does not exist")
            return target
        anchor = f"#{anchor}" if anchor else ""
        if there in self.names:
            return self.names[there] + anchor
        inside = PurePosixPath(there.relative_to(ROOT).as_posix())
        if picture:
            copy = self.source / "pictures" / str(inside).replace("/", "-")
            copy.parent.mkdir(exist_ok=True)
            shutil.copyfile(there, copy)
            return f"pictures/{copy.name}"
        return f"{repository()}/{'tree' if there.is_dir() else 'blob'}/main/{inside}{anchor}"

    def settings(self) -> str:
        """The settings of Zensical."""
        chapters, named = [], set[str]()
        for title, entries in CHAPTERS:
            there = [(name, page) for name, page in entries if page in self.pages]
            named |= {page for _, page in there}
            chapters.append((title, there))
        more = [(title_of(path), name) for name, path in self.pages.items() if name not in named]
        if more:
            chapters.append(("More", more))
        nav = ",\n".join(
            f'  {{ "{title}" = [{", ".join(f"""{{ "{name}" = "{page}" }}""" for name, page in there)}] }}' for title, there in chapters
        )
        return f"""[project]
site_name = "labelwise"
site_description = "Measure a model with few labels"
repo_url = "{repository()}"
docs_dir = "{self.source.name}"
site_dir = "site"
use_directory_urls = false
extra_css = ["book.css"]
nav = [
{nav}
]

[project.theme]
# Nothing is loaded from elsewhere: a reader's browser talks to this site alone.
font = false
features = ["navigation.sections", "navigation.top", "content.code.copy", "search.highlight"]

[[project.theme.palette]]
media = "(prefers-color-scheme: light)"
scheme = "default"
primary = "indigo"
toggle.icon = "lucide/sun"
toggle.name = "Switch to dark"

[[project.theme.palette]]
media = "(prefers-color-scheme: dark)"
scheme = "slate"
primary = "indigo"
toggle.icon = "lucide/moon"
toggle.name = "Switch to light"

[project.markdown_extensions.toc]
permalink = true
toc_depth = 3

[project.markdown_extensions.tables]
[project.markdown_extensions.attr_list]
[project.markdown_extensions.md_in_html]
[project.markdown_extensions.pymdownx.highlight]
[project.markdown_extensions.pymdownx.superfences]
"""


def title_of(path: Path) -> str:
    """The first heading of a page."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            return line[2:].replace('"', "'")
    return path.stem


class Page(html.parser.HTMLParser):
    """What a built page links to, and what can be linked to in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.ids = set[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            if value and name in ("href", "src") and tag in ("link", "script", "img") and re.match("https?:|//", value):
                # A canonical address is not loaded.
                self.loads += [value] if ("rel", "canonical") not in attrs else []
            if value and ((name == "href" and tag in ("a", "link")) or (name == "src" and tag in ("img", "script"))):
                self.links.append(value)


def broken(site: Path) -> list[str]:
    """Links of the built pages that lead nowhere, and what they would load from elsewhere."""
    built = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    wrong = []
    for path, page in built.items():
        wrong += [f"{path.name}: {link} is loaded from elsewhere" for link in page.loads]
        # The page of unknown addresses is shown at any depth.
        if path.name == "404.html":
            continue
        for link in page.links:
            if re.match(r"[a-z]+:|//", link):
                continue
            plain, _, anchor = link.partition("#")
            there = (path.parent / unquote(plain.partition("?")[0])).resolve() if plain else path
            there = there / "index.html" if there.is_dir() else there
            if not there.exists():
                wrong.append(f"{path.name}: {link} leads nowhere")
            elif anchor and there in built and unquote(anchor) not in built[there].ids:
                wrong.append(f"{path.name}: {link} names no heading")
    return wrong


def build(folder: Path) -> list[str]:
    """Builds the book, and returns what is wrong with it."""
    shutil.rmtree(folder, ignore_errors=True)
    book = Book(folder / "pages")
    book.write()
    (folder / "zensical.toml").write_text(book.settings(), encoding="utf-8")
    command = [sys.executable, "-m", "zensical", "build", "--clean", "-f", "zensical.toml"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return [*book.wrong, done.stdout + done.stderr]
    return book.wrong + broken(folder / "site")


if __name__ == "__main__":
    found = build((Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "target" / "book").resolve())
    print("\n".join(found) or "the book is built, and every link in it leads somewhere")
    sys.exit(1 if found else 0)
