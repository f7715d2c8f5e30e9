"""Packages that only some functions need: imported where they are used, named where they miss.

Which package belongs to which extra is said in ``pyproject.toml``, and nowhere else.
"""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["MissingExtraError", "require"]


class MissingExtraError(ModuleNotFoundError):
    """A package that was not installed with betterthan; the message has the command.

    Attributes
    ----------
    name : str
        The package.
    extra : str
        The extra that brings it.
    """

    def __init__(self, package: str, extra: str, what: str = "") -> None:
        self.extra = extra
        needed = f"{what} needs {package}" if what else f"{package} is needed"
        super().__init__(
            f'{needed}, which is not installed: pip install "betterthan[{extra}]"', name=package
        )


def require(module: str, *, extra: str, what: str = "") -> Any:
    """Import a module of an extra, or say in one line what to install.

    Parameters
    ----------
    module : str
        Its name as in an ``import`` statement, such as "sacrebleu" or "scipy.stats".
    extra : str
        The extra of ``pyproject.toml`` that brings its package.
    what : str
        Who needs it, for the message: "Reading parquet".

    Returns
    -------
    module
        The module.

    Raises
    ------
    MissingExtraError
        A `ModuleNotFoundError`, where the package is not installed.

    Examples
    --------
    >>> require("json", extra="tables").dumps([1])
    '[1]'
    >>> require("no_such_package", extra="tables", what="Reading parquet")
    Traceback (most recent call last):
    betterthan._extras.MissingExtraError: Reading parquet needs no_such_package, which is not \
installed: pip install "betterthan[tables]"
    """
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != package:  # it is there, and lacks something itself
            raise
        raise MissingExtraError(package, extra, what) from None
