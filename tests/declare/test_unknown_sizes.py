"""Lengths of axes that are known only when a graph runs: they compute, and note decisions."""

import pytest

from gradtape._src.declare import unknown_sizes as sizes
from gradtape._src.declare.unknown_sizes import Decisions, Lengths, NeedsSize


def test_lengths_compute_like_integers():
    decisions = Decisions()
    n = decisions.new()
    code = 2 * n + 1
    (name,) = sizes.named_lengths((n,), (7,))
    assert sizes.evaluated((code, 5), {name: 7}) == (15, 5)
    assert sizes.evaluated(n // 2, {name: 7}) == 3
    assert sizes.evaluated(-n % 4, {name: 7}) == 1


def test_what_cancels_out_is_a_number():
    n = Decisions().new()
    assert n - n == 0
    assert type(n - n) is int


def test_comparisons_are_noted_and_checked_before_a_run():
    decisions = Decisions()
    n = decisions.new()
    (name,) = sizes.named_lengths((n,), (5,))
    smaller = bool(n < 10)
    assert decisions.hold({name: 5 if smaller else 50})
    assert not decisions.hold({name: 50 if smaller else 5})


def test_a_length_is_no_number():
    n = Decisions().new()
    with pytest.raises(NeedsSize):
        range(n)


def test_programs_see_none():
    n = Decisions().new()
    shape = sizes.lengths((n, 3))
    assert isinstance(shape, Lengths)
    assert shape.known().as_list() == [None, 3]
    assert sizes.lengths((2, 3)) == (2, 3)
    assert sizes.is_unknown(shape)
    assert not sizes.is_unknown((2, 3))


def test_shapes_that_broadcast():
    n = Decisions().new()
    assert sizes.broadcast_shapes((2, 1), (3,)) == (2, 3)
    assert sizes.broadcast_shapes((2**63 - 1, 1), (3,)) == (2**63 - 1, 3)
    assert sizes.surely_equal(sizes.broadcast_shapes((n, 1), (1, 4)), (n, 4))
    with pytest.raises(ValueError, match="shape"):
        sizes.broadcast_shapes((2,), (3,))


def test_asking_whether_shapes_are_equal_decides_nothing():
    decisions = Decisions()
    n, m = decisions.new(), decisions.new()
    assert sizes.surely_equal((n, 2), (n, 2))
    assert not sizes.surely_equal((n, 2), (m, 2))
    names = sizes.named_lengths((n, m), (3, 4))
    assert decisions.hold(names)
    assert decisions.hold(dict.fromkeys(names, 9))


EXPRESSIONS = [
    lambda n: (-(-n // 2) - 1) * 2 + 3 - n,
    lambda n: n // 2 * 2 - n,
    lambda n: n % 3 + (n + 1) % 2,
    lambda n: (n + 1) // 2 - n // 2,
    lambda n: 6 * n // 3 - 2 * n,
    lambda n: 4 * n % 2,
    lambda n: (2 * n + 2) // 2 - n,
    lambda n: (n * n) // n - n,
    lambda n: -(-n // 5) * 5 - n + (n // 3) % 2,
    lambda n: -n % 4,
]


@pytest.mark.parametrize("number", range(len(EXPRESSIONS)))
def test_rounded_divisions_depend_on_the_length(number):
    compute = EXPRESSIONS[number]
    n = Decisions().new()
    found = compute(n)
    for actual in range(1, 40):
        assert sizes.evaluated(found, {n.code: actual}) == compute(actual)


def test_products_that_cancel_out_are_numbers():
    n = Decisions().new()
    assert (6 * n // 3 - 2 * n, 4 * n % 2, n * n // n - n) == (0, 0, 0)
