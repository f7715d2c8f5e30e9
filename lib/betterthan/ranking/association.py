"""How strongly do two words attract each other? Association measures from 2×2 tables of counts.

Whole columns of tables at once, for the rankings of chapter 5: `ranking.measures`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from betterthan import _checks
from betterthan.ranking import _fisher
from betterthan.ranking._inputs import counts

__all__ = ["measures"]


def measures(
    o11: Any, o12: Any, o21: Any, o22: Any, only: Sequence[str] | None = None
) -> pd.DataFrame:
    """Every association measure of every table: one row per pair, one column per measure.

    The four cells of a table are the pair together (O11), its first part without the second
    (O12), the second without the first (O21), and neither (O22). R1 and C1 are the sums of the
    first row and the first column, N is the sum of all cells, E11 = R1·C1/N is what O11 would be
    on average if the two had nothing to do with each other. Larger is stronger in every column,
    and no column holds NaN.

    Parameters
    ----------
    o11, o12, o21, o22
        Counts, arrays or numbers. A pandas index of `o11` is kept.
    only : sequence of str, optional
        The measures to work out; None is all.

    Returns
    -------
    DataFrame
        `g2`, the log-likelihood ratio 2 Σ O log(O/E) (Dunning 1993), a cell of 0 adds 0, and `x2`,
        Pearson's chi-squared, both with the sign of O11 − E11, 0 where a row or column is empty;
        `x2_yates`, the same with ``|O − E|`` lessened by ½, at most to 0, as in R's chisq.test;
        `t`, the t-score (O11 − E11)/√O11 (Church et al. 1991), and `mi`, pointwise mutual
        information log2(O11/E11), both −inf for O11 = 0, or 0 where E11 = 0 too;
        `frequency`, O11; `dice`, 2 O11/(R1 + C1), 0 where both are empty;
        `z`, the z-score (O11 − E11)/√E11, 0 for E11 = 0;
        `local_mi`, O11·log2(O11/E11), and `poisson_stirling`, O11·(log O11 − log E11 − 1), both
        0 for O11 = 0 (as published they do not order pairs rarer than expected by strength);
        `odds_ratio`, log(O11·O22/(O12·O21)), ±inf where only one side is 0 and 0 where both are;
        `odds_ratio_disc`, the same with ½ added to every cell, always finite;
        `fisher`, −log10 of the right tail of Fisher's exact test, in log space, since the p-value
        itself underflows.

    Raises
    ------
    ValueError
        For a cell that is not a whole number between 0 and 10¹⁵, lengths that differ, or an
        unknown measure.

    Examples
    --------
    >>> measures([110, 0], [2442, 3], [111, 4], [29114, 93], only=["g2", "x2", "t", "mi"]).round(2)
           g2      x2    t    mi
    0  270.72  525.02  8.8  2.63
    1   -0.25   -0.13 -inf  -inf
    """
    named = {"o11": o11, "o12": o12, "o21": o21, "o22": o22}
    tables = _Tables(*map(np.ravel, counts(named)))
    chosen = [_checks.choice("only", name, tuple(_FORMULAS)) for name in only or _FORMULAS]
    index = o11.index if isinstance(o11, pd.Series) else None
    return pd.DataFrame({name: _FORMULAS[name](tables) for name in chosen}, index=index)


class _Tables:
    """Many tables with their margins, and the measures that take more than a line."""

    def __init__(self, o11: np.ndarray, o12: np.ndarray, o21: np.ndarray, o22: np.ndarray) -> None:
        self.o11, self.o12, self.o21, self.o22 = o11, o12, o21, o22
        self.row1, self.row2 = o11 + o12, o21 + o22
        self.column1, self.column2 = o11 + o21, o12 + o22
        self.total = self.row1 + self.row2
        self.share1, self.share2 = _ratio(self.row1, self.total), _ratio(self.row2, self.total)
        self.e11 = self.share1 * self.column1
        self.determinant = _fisher.determinant(o11, o12, o21, o22)
        # O11 − E11, which is also how far the other cells are off, with their signs.
        self.difference = _ratio(self.determinant, self.total)

    def log_likelihood(self) -> np.ndarray:
        """G² with the sign of O11 − E11."""
        cells = (
            (self.o11, self.e11, self.difference),
            (self.o12, self.share1 * self.column2, -self.difference),
            (self.o21, self.share2 * self.column1, -self.difference),
            (self.o22, self.share2 * self.column2, self.difference),
        )
        # Σ [O log(O/E) − (O − E)] has only positive terms: nothing cancels at large counts.
        size = 2 * sum(_fisher.deviance(*cell) for cell in cells)
        return np.sign(self.difference) * size

    def chi_squared(self, correction: float = 0.0) -> np.ndarray:
        """X² with the sign of O11 − E11; Yates's correction is ½."""
        size = np.maximum(np.abs(self.determinant) - correction * self.total, 0)
        # Dividing before multiplying keeps the four margins from overflowing.
        by_rows = _ratio(size, self.row1 * self.row2)
        by_columns = _ratio(size, self.column1 * self.column2)
        return np.sign(self.determinant) * (by_rows * by_columns * self.total)

    def log_ratio(self) -> np.ndarray:
        """log(O11/E11)."""
        excess = _ratio(self.difference, self.e11)
        known = self.e11 > 0
        with np.errstate(divide="ignore"):
            far = np.log(np.where(known, self.o11, 1.0)) - np.log(np.where(known, self.e11, 1.0))
        # Near independence the two logarithms would cancel.
        return np.where(np.abs(excess) < 0.5, np.log1p(np.clip(excess, -0.5, 0.5)), far)

    def log_odds(self, discount: float = 0.0) -> np.ndarray:
        """log(O11·O22/(O12·O21)), `discount` added to every cell."""
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.log(self.o11 + discount) + np.log(self.o22 + discount)
            value -= np.log(self.o12 + discount) + np.log(self.o21 + discount)
        return np.where(np.isnan(value), 0.0, value)

    def t_score(self) -> np.ndarray:
        """(O11 − E11)/√O11."""
        never = np.where(self.difference < 0, -np.inf, 0.0)
        return np.where(self.o11 > 0, _ratio(self.difference, np.sqrt(self.o11)), never)

    def times_frequency(self, value: np.ndarray) -> np.ndarray:
        """O11·value, and 0 where the pair never occurs."""
        return self.o11 * np.where(self.o11 > 0, value, 0.0)

    def fisher(self) -> np.ndarray:
        """−log10 of the right tail."""
        tail = _fisher.log_upper(self.o11, self.column1, self.column2, self.row1)
        return -tail / np.log(10) + 0.0  # turns −0.0 into 0.0


_FORMULAS: dict[str, Callable[[_Tables], np.ndarray]] = {
    "g2": _Tables.log_likelihood,
    "x2": _Tables.chi_squared,
    "x2_yates": lambda tables: tables.chi_squared(0.5),
    "t": _Tables.t_score,
    "frequency": lambda tables: tables.o11.copy(),
    "mi": lambda tables: tables.log_ratio() / np.log(2),
    "dice": lambda tables: _ratio(2 * tables.o11, tables.row1 + tables.column1),
    "z": lambda tables: _ratio(tables.difference, np.sqrt(tables.e11)),
    "local_mi": lambda tables: tables.times_frequency(tables.log_ratio() / np.log(2)),
    "odds_ratio": _Tables.log_odds,
    "odds_ratio_disc": lambda tables: tables.log_odds(0.5),
    "poisson_stirling": lambda tables: tables.times_frequency(tables.log_ratio() - 1),
    "fisher": _Tables.fisher,
}


def _ratio(top: np.ndarray, bottom: np.ndarray) -> np.ndarray:
    """top / bottom, and 0 where bottom is 0."""
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)
