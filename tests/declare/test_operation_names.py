"""Names of operations."""

from __future__ import annotations

import pytest

from gradtape._src.declare.operation_names import Names, checked, default_name, scope_of


@pytest.mark.parametrize(
    ("function", "operation", "name"),
    [
        ("run", "AddV2", "add"),
        ("backwards", "Sub", "sub"),
        ("<lambda>", "Neg", "Neg"),
        ("reduce_sum", "Sum", "Sum"),
        ("transpose", "Transpose", "transpose"),
        ("add", "AddV2", "Add"),
    ],
)
def test_default_names(function: str, operation: str, name: str) -> None:
    assert default_name(function, operation) == name


def test_scopes() -> None:
    assert scope_of("moments", "Mean") == "moments"
    assert scope_of("gradient", "Mul") == "gradient_tape"
    assert scope_of("_private", "Mul") == "Mul"


def test_names_are_unique_whatever_their_case() -> None:
    names = Names()
    asked = ["a", "a", "A", "a_1", "b", "a"]
    made = [names.unique(name) for name in asked]
    assert made == ["a", "a_1", "A_2", "a_1_1", "b", "a_3"]
    assert len({name.lower() for name in made}) == len(asked)


@pytest.mark.parametrize("name", ["with space", "-minus", "_under", "a:0"])
def test_names_that_are_not_allowed(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        checked(name, inner=False)


def test_names_in_scopes_may_begin_with_an_underscore() -> None:
    assert checked("_under", inner=True) == "_under"
