"""Is model B really better than model A?

Most readers need two functions: `score` (one system, with an interval) and `compare` (two
systems, B minus A). `compare_many` takes more than two, `compare_folds` the folds of a
cross-validation, `plan` says how many items are enough.
The modules, one per chapter, hold the rest::

    from betterthan import compare, readers
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.2.0"

__all__ = ["compare", "compare_folds", "compare_many", "plan", "score"]


def __getattr__(name: str) -> Any:
    # Loaded when first used, so that `import betterthan` costs nothing.
    if name in __all__:
        return getattr(importlib.import_module("betterthan.paired"), name)
    raise AttributeError(f"module 'betterthan' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
