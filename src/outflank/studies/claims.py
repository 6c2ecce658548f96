"""Claims, tested: each holds, does not hold, or the data cannot tell.

>>> lies_above("gain", Measured(0.5, (0.25, 0.75), "3 runs"), 0)
Claim(holds=True, evidence='gain 0.500, 95 % interval 0.250 to 0.750 of 3 runs')
>>> [lies_above("gain", Measured(x, (x - 1, x + 1), "3 runs"), 0).holds for x in (-2, 0, 2)]
[False, None, True]

A claim of order (better, higher, more) holds if a test is significant in its direction, does not hold if it
is in the other, and is inconclusive otherwise. A claim of equality holds if the 95 % interval of the
difference lies within a margin, does not hold if it is significant, and is inconclusive otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from importlib import import_module
from typing import ParamSpec

import numpy as np

from outflank.studies.agreement import SIGNIFICANT, same_sign
from outflank.studies.inference import Samples, mann_whitney
from outflank.studies.stored_calls import call_of, repeated
from outflank.studies.verdicts import Claim, Measured

PACKAGE = "outflank.studies."
RETESTED = "is_retested"


P = ParamSpec("P")


def retested(function: Callable[P, Claim]) -> Callable[P, Claim]:
    """A test whose claims remember its arguments, so that `reproduce --check` can test them again: a pure
    function at the top of its module.

    >>> claim = lies_above("gain", Measured(0.5, (0.25, 0.75), "3 runs"), 0)
    >>> found_again(claim) == claim
    True
    """

    @wraps(function)
    def tested(*args: P.args, **kwargs: P.kwargs) -> Claim:
        found = function(*args, **kwargs)
        return Claim(found.holds, found.evidence, call_of(function, args, kwargs))

    vars(tested)[RETESTED] = True
    return tested


def found_again(claim: Claim) -> Claim:
    """What the test of a claim finds in the arguments that are stored with it."""
    assert claim.test is not None
    module, _, name = str(claim.test.get("function")).partition(":")
    found = getattr(import_module(module), name, None) if module.startswith(PACKAGE) else None
    if found is None or RETESTED not in vars(found):
        raise ValueError(f"{module}:{name} is no test of claims")
    again: Claim = repeated(found, claim.test["arguments"])
    return again


@retested
def all_above(found: Mapping[str, Measured], bound: float) -> Claim:
    """Every whole 95 % interval lies above the bound; one below refutes it."""
    claims = [lies_above(name, one, bound) for name, one in found.items()]
    return Claim(all_of(one.holds for one in claims), "; ".join(one.evidence for one in claims))


@retested
def lies_above(what: str, found: Measured, bound: float, decimals: int = 3) -> Claim:
    """The whole 95 % interval is above the bound; below, the claim is refuted."""
    return Claim(same_sign(found.ci95, bound), describe(what, found, decimals))


@retested
def lies_below(what: str, found: Measured, bound: float, decimals: int = 3) -> Claim:
    """The whole 95 % interval is below the bound; above, the claim is refuted."""
    return Claim(opposite(same_sign(found.ci95, bound)), describe(what, found, decimals))


@retested
def is_near(what: str, found: Measured, centre: float, margin: float, decimals: int = 3) -> Claim:
    """The whole 95 % interval lies within the margin and holds the centre; without it the claim is refuted.

    >>> [is_near("lead", Measured(x, (x - 0.2, x + 0.2), "3 runs"), 0, 0.5).holds for x in (0.1, 0.4, 1.0)]
    [True, False, False]
    >>> is_near("lead", Measured(0.1, (-0.9, 1.1), "3 runs"), 0, 0.5).holds is None
    True
    """
    low, high = found.ci95
    evidence = f"{describe(what, found, decimals)}; margin ±{margin:g}"
    if not low <= centre <= high:
        return Claim(False, evidence)
    return Claim(True if centre - margin <= low and high <= centre + margin else None, evidence)


@retested
def is_within(what: str, found: Measured, low: float, high: float, decimals: int = 3) -> Claim:
    """The whole 95 % interval lies between two bounds; outside, the claim is refuted.

    >>> [is_within("lead", Measured(x, (x - 1, x + 1), "3 runs"), -2, 2).holds for x in (0, 2, 4)]
    [True, None, False]
    """
    outside = found.ci95[1] < low or found.ci95[0] > high
    inside = low <= found.ci95[0] and found.ci95[1] <= high
    evidence = f"{describe(what, found, decimals)}; within {low:g} to {high:g}"
    return Claim(False if outside else True if inside else None, evidence)


def is_greater(first: Samples, second: Samples, level: float = SIGNIFICANT) -> bool | None:
    """By the Mann-Whitney test, two-sided, in the direction of the means; None if it is not significant.

    >>> is_greater(range(10, 20), range(10)), is_greater(range(10), range(10, 20)), is_greater([1, 2], [1, 3])
    (True, False, None)
    """
    (found,) = mann_whitney({"first": list(first), "second": list(second)})
    return bool(np.mean(first) > np.mean(second)) if found.p < level else None


def all_of(parts: Iterable[bool | None]) -> bool | None:
    """All parts of a claim hold; one refuted part refutes it.

    >>> all_of([True, True]), all_of([True, None]), all_of([None, False])
    (True, None, False)
    """
    found = list(parts)
    return False if False in found else None if None in found else True


def opposite(holds: bool | None) -> bool | None:
    return None if holds is None else not holds


def describe(what: str, found: Measured, decimals: int = 3) -> str:
    """A finding in words."""
    value, low, high = (f"{x:.{decimals}f}" for x in (found.value, *found.ci95))
    return f"{what} {value}, 95 % interval {low} to {high} of {found.of}"
