import pytest

from gradtape._src.ops.linear_operators.algebra import Rules


def test_the_first_rule_that_fits_is_applied():
    rules = Rules("sum")

    @rules.rule(bool, int)
    def _special(x, y):
        return "special"

    @rules.rule(int, int)
    def _general(x, y):
        return "general"

    assert rules.apply(True, 1) == "special"
    assert rules.apply(1, True) == "general"
    with pytest.raises(NotImplementedError, match="no rule for the sum of str and int"):
        rules.apply("a", 1)
