"""Cuts the charts' font out of Inter: the letters, Greek and signs that labels are written with.

The committed files were made with fonttools 4 from Inter 3.19, the package `fonts-inter` of Debian 12:

    python3 subset.py folder-with-Inter-Regular.otf-and-Inter-SemiBold.otf
"""

import sys
from pathlib import Path

from fontTools import subset

RANGES = [
    (0x20, 0x7E),  # ASCII
    (0xA0, 0xFF),  # Latin-1: names with accents, and ± × · ² ³ °
    (0x131, 0x131),
    (0x2C6, 0x2C6),
    (0x302, 0x304),  # combining hat, tilde and bar, for texts that are not set by the charts
    (0x391, 0x3C9),  # Greek
]
SIGNS = "–—‘’“”†‡•…‰′ℓ←↑→↓∂∆∑−√∞≈≠≤≥"


def main() -> None:
    source, here = Path(sys.argv[1]), Path(__file__).resolve().parent
    wanted = [code for first, last in RANGES for code in range(first, last + 1)] + [ord(sign) for sign in SIGNS]
    for weight in ("Regular", "SemiBold"):
        options = subset.Options()
        options.layout_features = ["kern"]
        options.hinting = False
        options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14, 16, 17]
        options.notdef_outline = True
        font = subset.load_font(str(source / f"Inter-{weight}.otf"), options)
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=wanted)
        subsetter.subset(font)
        subset.save_font(font, str(here / f"Inter-{weight}.otf"), options)


if __name__ == "__main__":
    main()
