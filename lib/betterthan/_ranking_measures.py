"""Association measures from 2×2 tables of counts, whole columns of tables at once (chapter 5)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from betterthan import _checks
from betterthan import _ranking_kernels as kernels


class _Tables:
    """Observed cells as flat float arrays, and what measures need, worked out when asked for."""

    def __init__(self, shape: tuple[int, ...], cells: tuple[np.ndarray, ...]) -> None:
        self.shape = shape
        self.cells = cells

    @cached_property
    def margins(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Row sums R1, R2 and column sums C1, C2."""
        a, b, c, d = self.cells
        return a + b, c + d, a + c, b + d

    @cached_property
    def total(self) -> np.ndarray:
        return self.margins[0] + self.margins[1]

    @cached_property
    def determinant(self) -> np.ndarray:
        """O11·O22 − O12·O21.

        Near independence the two products agree in most digits, and at large counts their plain
        difference would be rounding error.
        """
        a, b, c, d = self.cells
        (p, p_error), (q, q_error) = _exact_product(a, d), _exact_product(b, c)
        return (p - q) + (p_error - q_error)

    @cached_property
    def difference(self) -> np.ndarray:
        """O11 − E11."""
        return _ratio(self.determinant, self.total)

    @cached_property
    def e11(self) -> np.ndarray:
        return _ratio(self.margins[0], self.total) * self.margins[2]


def counts(name: str, values: Any) -> np.ndarray:
    """`values` as a float array of whole numbers of at least 0."""
    given = np.asarray(values)
    try:
        array = given.astype(float)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected counts, got {values!r:.80}") from None
    if given.dtype.kind in "iu" and (not given.size or given.min() >= 0):
        return array
    bad = np.flatnonzero(~(np.isfinite(array) & (array >= 0) & (array == np.floor(array))))
    if bad.size:
        where = f"{name}[{bad[0]}]" if array.ndim else name
        value = array.flat[bad[0]].item()
        raise ValueError(f"{where}={value!r}: expected a whole number of at least 0")
    return array


def _exact_product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a·b as a rounded product and its rounding error (Dekker 1971)."""
    product = a * b
    split_a, split_b = 134217729.0 * a, 134217729.0 * b
    high_a, high_b = split_a - (split_a - a), split_b - (split_b - b)
    low_a, low_b = a - high_a, b - high_b
    error = ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b
    return product, error


def _ratio(top: np.ndarray, bottom: np.ndarray) -> np.ndarray:
    """top / bottom, and 0 where bottom is 0."""
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)


def tables(o11: Any, o12: Any, o21: Any, o22: Any) -> _Tables:
    """Check the four cells and work out what every measure needs."""
    named = {"o11": o11, "o12": o12, "o21": o21, "o22": o22}
    arrays = {name: counts(name, cells) for name, cells in named.items()}
    try:
        broadcast = np.broadcast_arrays(*arrays.values())
    except ValueError:
        shapes = ", ".join(f"{name} has shape {array.shape}" for name, array in arrays.items())
        raise ValueError(f"expected cells of the same length, but {shapes}") from None
    cells = tuple(np.ascontiguousarray(cell).ravel() for cell in broadcast)
    return _Tables(broadcast[0].shape, cells)


_COLUMNS: dict[str, Callable[[_Tables], np.ndarray]] = {}

_RAISES = """\
Raises
------
ValueError
    For a cell that is not a whole number of at least 0, or lengths that differ.

"""


def _measure(formula: Callable[[_Tables], np.ndarray]) -> Callable[..., np.ndarray | float]:
    """The public function of a measure, which checks four cells and keeps their shape.

    The formula itself becomes a column of `measures`. What all of the functions refuse is added
    to the docstring before its examples.
    """

    def measure(o11: Any, o12: Any, o21: Any, o22: Any) -> np.ndarray | float:
        table = tables(o11, o12, o21, o22)
        values = formula(table).reshape(table.shape)
        return values if values.ndim else float(values)

    _COLUMNS[formula.__name__] = formula
    measure.__name__, measure.__qualname__ = formula.__name__, formula.__qualname__
    text, heading, examples = inspect.cleandoc(formula.__doc__).partition("Examples\n")
    measure.__doc__ = text + _RAISES + heading + examples
    return measure


def _chi_squared(table: _Tables, correction: float) -> np.ndarray:
    row1, row2, column1, column2 = table.margins
    size = np.maximum(np.abs(table.determinant) - correction * table.total, 0)
    with np.errstate(invalid="ignore"):
        # Dividing before multiplying keeps the four margins from overflowing.
        one = _ratio(size, row1 * row2) * _ratio(size, column1 * column2) * table.total
    return np.sign(table.determinant) * one


def _log_ratio(table: _Tables) -> np.ndarray:
    """log(O11 / E11): −inf where an expected pair never occurs, 0 where none is expected."""
    o11, e11 = table.cells[0], table.e11
    excess = _ratio(table.difference, e11)
    with np.errstate(divide="ignore"):
        far = np.log(np.where(e11 > 0, o11, 1.0)) - np.log(np.where(e11 > 0, e11, 1.0))
    # Near independence the two logarithms would cancel.
    return np.where(np.abs(excess) < 0.5, np.log1p(np.clip(excess, -0.5, 0.5)), far)


def _log_odds(table: _Tables, discount: float) -> np.ndarray:
    with np.errstate(divide="ignore"):
        a, b, c, d = (np.log(cell + discount) for cell in table.cells)
    with np.errstate(invalid="ignore"):
        value = (a + d) - (b + c)
    return np.where(np.isnan(value), 0.0, value)


@_measure
def g2(table: _Tables) -> np.ndarray:
    """Log-likelihood ratio G² (Dunning 1993), with the sign of O11 − E11.

    G² = 2 Σ O log(O/E), where a cell of 0 adds 0. Summed as Σ [O log(O/E) − (O − E)], whose
    terms are all positive, so that nothing cancels at large counts.

    Examples
    --------
    >>> round(g2(10, 20, 30, 40), 4), round(g2(110, 2442, 111, 29114), 2)
    (-0.8043, 270.72)
    """
    return kernels.g2(*table.cells, table.difference)


@_measure
def x2(table: _Tables) -> np.ndarray:
    """Pearson's chi-squared X² without correction, with the sign of O11 − E11.

    0 where a row or a column is empty.

    Examples
    --------
    >>> round(x2(110, 2442, 111, 29114), 2)
    525.02
    """
    return _chi_squared(table, 0.0)


@_measure
def x2_yates(table: _Tables) -> np.ndarray:
    """Pearson's chi-squared with Yates' continuity correction, signed like :func:`x2`.

    ``|O − E|`` is lessened by ½, at most to 0 (as R's chisq.test does).

    Examples
    --------
    >>> round(x2_yates(110, 2442, 111, 29114), 2), x2_yates(1, 1, 1, 2)
    (519.35, 0.0)
    """
    return _chi_squared(table, 0.5)


@_measure
def t(table: _Tables) -> np.ndarray:
    """The t-score (O11 − E11) / √O11 (Church et al. 1991).

    For O11 = 0: −inf, or 0 where E11 = 0 too.

    Examples
    --------
    >>> round(t(110, 2442, 111, 29114), 4), t(0, 5, 5, 90)
    (8.7958, -inf)
    """
    o11 = table.cells[0]
    never = np.where(table.difference < 0, -np.inf, 0.0)
    return np.where(o11 > 0, _ratio(table.difference, np.sqrt(o11)), never)


@_measure
def frequency(table: _Tables) -> np.ndarray:
    """Cooccurrence frequency O11.

    Examples
    --------
    >>> frequency(110, 2442, 111, 29114)
    110.0
    """
    return table.cells[0].copy()


@_measure
def mi(table: _Tables) -> np.ndarray:
    """Pointwise mutual information log2(O11 / E11).

    For O11 = 0: −inf, or 0 where E11 = 0 too.

    Examples
    --------
    >>> round(mi(110, 2442, 111, 29114), 4)
    2.6317
    """
    return _log_ratio(table) / np.log(2)


@_measure
def dice(table: _Tables) -> np.ndarray:
    """Dice coefficient 2 O11 / (R1 + C1), 0 where both margins are empty.

    Examples
    --------
    >>> round(dice(110, 2442, 111, 29114), 4)
    0.0793
    """
    return _ratio(2 * table.cells[0], table.margins[0] + table.margins[2])


@_measure
def z(table: _Tables) -> np.ndarray:
    """The z-score (O11 − E11) / √E11, 0 for E11 = 0.

    Examples
    --------
    >>> round(z(110, 2442, 111, 29114), 4)
    21.8975
    """
    return _ratio(table.difference, np.sqrt(table.e11))


@_measure
def local_mi(table: _Tables) -> np.ndarray:
    """Local mutual information O11 · log2(O11 / E11), 0 for O11 = 0.

    As published it grows with O11 only from E11 / e upwards: among pairs seen much more rarely
    than expected it does not order by strength.

    Examples
    --------
    >>> round(local_mi(110, 2442, 111, 29114), 3)
    289.491
    """
    o11 = table.cells[0]
    return o11 * np.where(o11 > 0, _log_ratio(table) / np.log(2), 0.0)


@_measure
def odds_ratio(table: _Tables) -> np.ndarray:
    """Logarithm of the odds ratio, log(O11 O22 / (O12 O21)).

    +inf where only the denominator is 0, −inf where only the numerator is, 0 where both are.

    Examples
    --------
    >>> round(odds_ratio(110, 2442, 111, 29114), 4), odds_ratio(5, 0, 3, 7)
    (2.4694, inf)
    """
    return _log_odds(table, 0.0)


@_measure
def odds_ratio_disc(table: _Tables) -> np.ndarray:
    """Logarithm of the odds ratio with ½ added to every cell: finite for every table.

    Examples
    --------
    >>> round(odds_ratio_disc(5, 0, 3, 7), 4)
    3.16
    """
    return _log_odds(table, 0.5)


@_measure
def poisson_stirling(table: _Tables) -> np.ndarray:
    """Poisson–Stirling O11 (log O11 − log E11 − 1), natural logarithms, 0 for O11 = 0.

    As published it grows with O11 only from E11 upwards: among pairs seen more rarely than
    expected it does not order by strength.

    Examples
    --------
    >>> round(poisson_stirling(110, 2442, 111, 29114), 3)
    90.66
    """
    o11 = table.cells[0]
    return o11 * np.where(o11 > 0, _log_ratio(table) - 1, 0.0)


@_measure
def fisher(table: _Tables) -> np.ndarray:
    """−log10 of the right-tailed p-value of Fisher's exact test, in log space.

    The p-value itself underflows long before its logarithm does.

    Examples
    --------
    >>> round(fisher(110, 2442, 111, 29114), 2), round(fisher(4000, 100, 100, 10**7), 0)
    (60.01, 14922.0)
    """
    # + 0.0 turns −0.0 into 0.0
    return -kernels.log_upper(*table.cells) / np.log(10) + 0.0


def measures(
    o11: Any, o12: Any, o21: Any, o22: Any, names: Sequence[str] | None = None
) -> pd.DataFrame:
    """Every association measure of every table: a row a pair, a column a measure.

    The four cells of a table are the pair together (O11), its first part without the second
    (O12), the second without the first (O21), and neither (O22). Larger is stronger for every
    column; no column holds NaN (each measure's own docstring says what a zero cell gives).
    A pandas index of `o11` is kept. `names` chooses some of the measures; None is all.

    Raises
    ------
    ValueError
        For a cell that is not a whole number of at least 0, lengths that differ, or an unknown
        name.

    Examples
    --------
    >>> measures([110, 0], [2442, 3], [111, 4], [29114, 93])[["g2", "x2", "t", "mi"]].round(2)
           g2      x2    t    mi
    0  270.72  525.02  8.8  2.63
    1   -0.25   -0.13 -inf  -inf
    """
    chosen = [_checks.choice("names", name, tuple(_COLUMNS)) for name in names or _COLUMNS]
    table = tables(o11, o12, o21, o22)
    index = o11.index if isinstance(o11, pd.Series) else None
    return pd.DataFrame({name: _COLUMNS[name](table) for name in chosen}, index=index)
