"""The lists of words and the limits by which the page decides are those of the library."""

from __future__ import annotations

import re
from typing import Any

import pytest

from betterthan import _cautions, _crossed, _jackknife, _metrics, bayes, paired
from betterthan.readers import (
    _roles,
    _table,
    candidates,
    conllu,
    fold_counts,
    folds,
    pvalues,
    tables,
    votes,
)
from press import explore


def script(name: str) -> str:
    return (explore.FOLDER / f"compare-{name}.js").read_text("utf-8")


def words_of(part: str, name: str) -> list[str]:
    """The words between quotation marks in a constant; a list spread in it is looked up."""
    found = re.search(rf"\b{name} = (.*?)(?:;\n| = )", script(part), re.DOTALL)
    assert found, name
    words = []
    for spread, word in re.findall(r"\.\.\.(?:Compare\.)?(\w+)|\"([^\"]*)\"", found[1]):
        words += words_of("roles" if spread in ("RUNS", "FOLDS") else part, spread) * bool(spread)
        words += [word] * (not spread)
    return [word.encode().decode("unicode_escape") for word in words]


def flat(words: Any) -> list[str]:
    if isinstance(words, str):
        return [words]
    return [one for word in words for one in flat(word)]


IN_ORDER = {
    ("roles", "GOLD"): _roles.GOLD,
    ("roles", "FOLDS"): _roles.FOLDS,
    ("roles", "MODELS"): _roles.MODELS,
    ("roles", "RUNS"): _roles.RUNS,
    ("tables", "SEPARATORS"): _table.SEPARATORS,
    ("tables", "RIGHT_WRONG"): _table.RIGHT_WRONG,
    ("tables", "POINT"): _table.POINT,
    ("votes", "WINNER"): votes.WINNER,
    ("votes", "PAIRS"): votes.PAIRS,
    ("votes", "PROMPTS"): votes.PROMPTS,
    ("votes", "RATERS"): votes.RATERS,
    ("fold-counts", "COUNTS"): fold_counts.COUNTS,
    ("formats", "P_COLUMNS"): pvalues.P_COLUMNS,
    ("together", "OF_COUNTS"): _metrics.OF_COUNTS,
}
IN_ANY_ORDER = {
    ("roles", "NAMELESS"): _roles.NAMELESS,
    ("roles", "IDS"): _roles.IDS,
    ("roles", "GROUPS"): _roles.GROUPS,
    ("roles", "NUMBERED"): _roles._NUMBERED,
    ("roles", "SCORES"): _roles.SCORES,
    ("read", "LOWER_IS_BETTER"): _metrics.LOWER_IS_BETTER,
    ("votes", "FIRST"): votes._FIRST,
    ("votes", "SECOND"): votes._SECOND,
    ("votes", "TIE"): votes._TIE,
    ("formats", "HITS"): candidates._HITS,
}
LIMITS = {
    ("roles", "MOST_SYSTEMS"): _roles.MOST_SYSTEMS,
    ("read", "FEW_CLASSES"): tables._FEW_CLASSES,
    ("read", "FEW_ROWS"): folds.FEW_ROWS,
    ("votes", "MOST_PAIRS"): votes._MOST_PAIRS,
    ("conllu", "WIDTH"): conllu.WIDTH,
    ("conllu", "MOST_CLASSES"): conllu._MOST_CLASSES,
    ("together", "FEW"): _cautions.FEW,
    ("together", "WORTH_LITTLE"): _cautions._WORTH_LITTLE,
    ("together", "RARE"): _cautions._RARE,
    ("together", "IN_ORDER"): _cautions._IN_ORDER,
    ("together", "NEVER_AGREE"): _cautions._NEVER_AGREE,
    ("together", "FEWEST_RUNS"): _crossed.FEWEST,
    ("jackknife", "NORMAL"): _jackknife._NORMAL,
    ("stats", "MANY_GROUPS"): paired._MANY_GROUPS,
    ("fold-counts", "SAID"): bayes._SAID,
    ("tables", "LONGEST_HEADER"): _table._LONGEST_HEADER,
}


@pytest.mark.parametrize(("part", "name"), IN_ORDER)
def test_words_in_their_order(part, name):
    assert words_of(part, name) == flat(IN_ORDER[part, name])


@pytest.mark.parametrize(("part", "name"), IN_ANY_ORDER)
def test_words(part, name):
    assert sorted(words_of(part, name)) == sorted(IN_ANY_ORDER[part, name])


@pytest.mark.parametrize(("part", "name"), LIMITS)
def test_limits(part, name):
    found = re.search(rf"\b{name} = ([0-9.e]+)", script(part))
    assert found and float(found[1]) == LIMITS[part, name]
