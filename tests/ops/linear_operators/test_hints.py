import itertools
from types import SimpleNamespace

import pytest

from gradtape._src.ops.linear_operators import hints

NAMES = ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square")


def hinted(*values):
    return SimpleNamespace(
        **dict(zip(NAMES, values, strict=True)), range_dimension=None, domain_dimension=None
    )


def test_a_hint_that_is_implied():
    assert hints.implied(None, True, "x") is True
    assert hints.implied(False, False, "x") is False
    with pytest.raises(ValueError, match="it is so, but the hint given is False"):
        hints.implied(False, True, "it is so")


@pytest.mark.parametrize(("own", "given"), list(itertools.product([None, True, False], repeat=2)))
def test_a_hint_that_is_taken_over(own, given):
    operator = hinted(own, None, None, None)
    if None not in (own, given) and own is not given:
        with pytest.raises(ValueError, match="is_non_singular"):
            hints.taken_over(operator, "is_non_singular", given, "adjoint")
    else:
        found = hints.taken_over(operator, "is_non_singular", given, "adjoint")
        assert found is (own if given is None else given)


VALUES = list(itertools.product([None, True, False], repeat=4))


@pytest.mark.parametrize("left", VALUES)
def test_hints_of_products_follow_from_those_of_the_factors(left):
    for right in VALUES:
        one, two = hinted(*left), hinted(*right)
        commuting = hints.of_commuting(one, two)
        if commuting["is_positive_definite"]:
            assert all((left[1], left[2], right[1], right[2]))
        if commuting["is_self_adjoint"]:
            assert left[1]
            assert right[1]
        product = hints.of_product(one, two)
        if product["is_non_singular"]:
            assert left[0]
            assert right[0]
        if left[3] and right[3] and False in (left[0], right[0]):
            assert product["is_non_singular"] is False


def test_wide_times_tall_may_be_square():
    wide, tall = hinted(None, None, None, False), hinted(None, None, None, False)
    assert hints.both_square(wide, tall) is None
    wide.range_dimension = tall.domain_dimension = 2
    assert hints.both_square(wide, tall) is True
    tall.domain_dimension = 3
    assert hints.both_square(wide, tall) is False
