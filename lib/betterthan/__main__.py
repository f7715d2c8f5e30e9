"""``python -m betterthan``: the command line, which stands in `betterthan.cli`."""

from __future__ import annotations

import sys

from betterthan.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
