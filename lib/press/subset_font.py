"""Cut the Chinese font of the figures out of Noto Sans CJK.

    python -m press.subset_font NotoSansCJK-Regular.ttc

The whole of Noto Sans CJK is 19 MB; the figures need the characters of GB 2312 and
plain Latin. Needs fonttools, which matplotlib brings along.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTCollection

from press import ROOT

FAMILY = "Betterthan Sans SC"


def gb2312() -> str:
    """Every character of GB 2312: punctuation, full-width Latin, 6,763 Han characters."""
    rows, columns = (0xA1, 0xA3, *range(0xB0, 0xF8)), range(0xA1, 0xFF)
    return "".join(bytes([r, c]).decode("gb2312", "ignore") for r in rows for c in columns)


def cut(source: str, target: Path) -> None:
    """Write the subset of the simplified Chinese face of `source` to `target`."""
    faces = TTCollection(source)
    font = next(f for f in faces if f["name"].getDebugName(1) == "Noto Sans CJK SC")
    options = subset.Options()
    options.hinting = False
    options.layout_features = []
    options.notdef_outline = True
    options.name_IDs = ["*"]
    font.recalcTimestamp = False  # the same bytes from the same source
    options.drop_tables += ["BASE", "VORG", "vhea", "vmtx", "DSIG", "GSUB", "GPOS"]
    cutter = subset.Subsetter(options)
    latin = "".join(map(chr, range(0x20, 0x7F)))
    cutter.populate(text=latin + gb2312() + "·—…“”‘’×≤≥≈′")
    cutter.subset(font)
    # A name of its own, so that it is never taken for the full font where both are installed.
    for record in font["name"].names:
        if record.nameID in (1, 4):
            record.string = FAMILY
        elif record.nameID == 6:
            record.string = FAMILY.replace(" ", "") + "-Regular"
    font["CFF "].cff.fontNames = [FAMILY.replace(" ", "") + "-Regular"]
    font.save(target)


if __name__ == "__main__":
    cut(sys.argv[1], ROOT / "lib/betterthan/fonts/BetterthanSansSC-Regular.otf")
