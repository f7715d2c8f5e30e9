"""Is model B really better than model A?

Most readers need three functions: `read` (files become results), `score` (one system, with an
interval) and `compare` (two systems, B minus A). `compare_many` takes more than two,
`compare_each` compares group by group, `compare_folds` takes the folds of a cross-validation,
`plan` says how many items are enough. The modules, one per chapter, hold the rest::

    from betterthan import compare, read

    old, new = read("old.conll", "new.conll")
    print(compare(old, new))
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from betterthan._version import __version__ as __version__

if TYPE_CHECKING:
    from betterthan.errors import InputError as InputError
    from betterthan.paired import compare as compare
    from betterthan.paired import compare_each as compare_each
    from betterthan.paired import compare_folds as compare_folds
    from betterthan.paired import score as score
    from betterthan.planning import plan as plan
    from betterthan.readers import read as read
    from betterthan.results import Results as Results
    from betterthan.several import compare_many as compare_many


# Where each name lives: loaded when first used, so that `import betterthan` costs nothing.
_HOMES = {
    "InputError": "errors",
    "Results": "results",
    "compare": "paired",
    "compare_each": "paired",
    "compare_folds": "paired",
    "compare_many": "several",
    "plan": "planning",
    "read": "readers",
    "score": "paired",
}

__all__ = [
    "InputError",
    "Results",
    "compare",
    "compare_each",
    "compare_folds",
    "compare_many",
    "plan",
    "read",
    "score",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"betterthan.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'betterthan' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
