"""The Chinese font of the figures: shipped with the package, the same glyphs everywhere."""

from __future__ import annotations

from pathlib import Path

from matplotlib.font_manager import FontProperties

_FILE = Path(__file__).with_name("fonts") / "BetterthanSansSC-Regular.otf"


def chinese(size: float | str | None = None) -> FontProperties:
    """Font properties that draw the characters of GB 2312 and Latin, whatever is installed.

    It is a subset of Noto Sans CJK SC under the SIL Open Font License (`fonts/OFL.txt`).

    Examples
    --------
    >>> chinese(12).get_size()
    12.0
    """
    return FontProperties(fname=str(_FILE), size=size)
