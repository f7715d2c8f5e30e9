"""Packages that compare systems, where they are installed: pip install -e '.[peers]'."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any

from benchmarks.run import Row

from studies import peers

NAMES = {
    "two systems": "two systems on 10,000 items: difference, interval, p",
    "all pairs": "all pairs of 14 systems on 2,590 items, adjusted",
}
# These compare two; all pairs are a loop and a correction (Holm).
LOOPED = {"deltagate", "evalsig", *peers.LATER}


def both(package: str, what: str) -> tuple[Any, Any]:
    """What ours and the package take, made beforehand."""
    given = peers.systems(what)
    return tuple(peers.timed(name, what)[0](given) for name in ("betterthan", package))


def call(package: str, what: str, side: int, ready: tuple[Any, Any]) -> int:
    """How many pairs are told apart."""
    return peers.timed(package, what)[1](ready[side])


def alike(ours: int, peer: int) -> tuple[bool, str]:
    """The tests differ in kind (McNemar, permutations, max-T), so pairs on the edge may."""
    return abs(ours - peer) <= 10, f"{ours} and {peer} pairs told apart"


def rows() -> Iterator[Row]:
    """Two rows per installed package; none is needed for anything else."""
    for package in (*peers.NAMES, *peers.LATER):
        for what, name in NAMES.items():
            # All pairs would take the later ones many minutes.
            quick = what == "two systems" or package not in peers.LATER
            if quick and find_spec(package):
                looped = what == "all pairs" and package in LOOPED
                yield Row(
                    name,
                    ours=partial(call, "betterthan", what, 0),
                    peer=partial(call, package, what, 1),
                    peer_name=package + (" in a loop, Holm" if looped else ""),
                    setup=partial(both, package, what),
                    agree=alike,
                    repeat=3 if what == "two systems" else 1,
                    note="defaults of both sides",
                )
