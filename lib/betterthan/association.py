"""How strongly do two words attract each other? Association measures from 2×2 tables of counts.

Whole columns of tables at once, for the rankings of chapter 5: `ranking.measures`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from betterthan import _checks
from betterthan import _ranking_kernels as kernels

__all__ = ["measures"]

# Up to here whole numbers, their sums and the sums over tables of Fisher's test are exact.
MOST = 10**15


def counts(*, most: int = MOST, **named: Any) -> list[np.ndarray]:
    """The named arguments as float arrays of whole numbers between 0 and `most`, of one shape."""
    arrays = {}
    for name, values in named.items():
        try:
            array = arrays[name] = np.asarray(values).astype(float)
        except (TypeError, ValueError):
            raise ValueError(f"{name}: expected counts, got {values!r:.80}") from None
        for i in np.flatnonzero(~((array >= 0) & (array <= most) & (array == np.floor(array))))[:1]:
            value, where = array.flat[i].item(), f"{name}[{i}]" if array.ndim else name
            limit = f" and at most {most:.0e}, to stay exact and quick" if value > most else ""
            raise ValueError(f"{where}={value!r}: expected a whole number of at least 0{limit}")
    try:
        return list(np.broadcast_arrays(*arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} has shape {array.shape}" for name, array in arrays.items())
        raise ValueError(f"expected counts of the same length, but {shapes}") from None


def _exact_product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a·b as a rounded product and its rounding error (Dekker 1971)."""
    product = a * b
    split_a, split_b = 134217729.0 * a, 134217729.0 * b
    high_a, high_b = split_a - (split_a - a), split_b - (split_b - b)
    low_a, low_b = a - high_a, b - high_b
    return product, (high_a * high_b - product + high_a * low_b + low_a * high_b) + low_a * low_b


def _ratio(top: np.ndarray, bottom: np.ndarray) -> np.ndarray:
    """top / bottom, and 0 where bottom is 0."""
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)


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
    a, b, c, d = map(np.ravel, counts(o11=o11, o12=o12, o21=o21, o22=o22))
    row1, row2, column1, column2 = a + b, c + d, a + c, b + d
    total = row1 + row2
    first, second = _ratio(row1, total), _ratio(row2, total)
    e11 = first * column1
    # O11·O22 − O12·O21: near independence the products agree in most digits, and at large counts
    # their plain difference would be rounding error.
    (p, p_error), (q, q_error) = _exact_product(a, d), _exact_product(b, c)
    determinant = (p - q) + (p_error - q_error)
    difference = _ratio(determinant, total)

    def likelihood() -> np.ndarray:
        # Σ [O log(O/E) − (O − E)] has only positive terms: nothing cancels at large counts.
        expected = e11, first * column2, second * column1, second * column2
        cells = zip((a, b, c, d), expected, (1, -1, -1, 1))
        parts = (kernels.deviance(o, e, sign * difference) for o, e, sign in cells)
        return np.sign(difference) * 2 * sum(parts)

    def chi_squared(correction: float) -> np.ndarray:
        size = np.maximum(np.abs(determinant) - correction * total, 0)
        # Dividing before multiplying keeps the four margins from overflowing.
        value = _ratio(size, row1 * row2) * _ratio(size, column1 * column2) * total
        return np.sign(determinant) * value

    def log_ratio() -> np.ndarray:
        excess = _ratio(difference, e11)
        with np.errstate(divide="ignore"):
            far = np.log(np.where(e11 > 0, a, 1.0)) - np.log(np.where(e11 > 0, e11, 1.0))
        # Near independence the two logarithms would cancel.
        return np.where(np.abs(excess) < 0.5, np.log1p(np.clip(excess, -0.5, 0.5)), far)

    def log_odds(discount: float) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.log(a + discount) + np.log(d + discount)
            value -= np.log(b + discount) + np.log(c + discount)
        return np.where(np.isnan(value), 0.0, value)

    never = np.where(difference < 0, -np.inf, 0.0)
    formulas = {
        "g2": likelihood,
        "x2": lambda: chi_squared(0.0),
        "x2_yates": lambda: chi_squared(0.5),
        "t": lambda: np.where(a > 0, _ratio(difference, np.sqrt(a)), never),
        "frequency": lambda: a.copy(),
        "mi": lambda: log_ratio() / np.log(2),
        "dice": lambda: _ratio(2 * a, row1 + column1),
        "z": lambda: _ratio(difference, np.sqrt(e11)),
        "local_mi": lambda: a * np.where(a > 0, log_ratio() / np.log(2), 0.0),
        "odds_ratio": lambda: log_odds(0.0),
        "odds_ratio_disc": lambda: log_odds(0.5),
        "poisson_stirling": lambda: a * np.where(a > 0, log_ratio() - 1, 0.0),
        # + 0.0 turns −0.0 into 0.0
        "fisher": lambda: -kernels.log_upper(a, column1, column2, row1) / np.log(10) + 0.0,
    }
    chosen = [_checks.choice("only", name, tuple(formulas)) for name in only or formulas]
    index = o11.index if isinstance(o11, pd.Series) else None
    return pd.DataFrame({name: formulas[name]() for name in chosen}, index=index)
