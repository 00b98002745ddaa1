import numpy as np
import pytest
from linear_operator_checks import check, check_gradients, random

from gradtape.linalg import LinearOperatorTridiag


@pytest.mark.parametrize("form", ["compact", "sequence", "matrix"])
@pytest.mark.parametrize("complex_", [False, True])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_three_diagonals(form, batch, complex_):
    above, main, below = (random(*batch, 4, seed=i, complex_=complex_) for i in range(3))
    main = main + 4
    dense = np.zeros((*batch, 4, 4), main.dtype)
    places = np.arange(3)
    dense[..., places, places + 1] = above[..., :-1]
    dense[..., places + 1, places] = below[..., 1:]
    dense[..., np.arange(4), np.arange(4)] = main
    three = {
        "compact": np.stack([above, main, below], -2),
        "sequence": [above, main, below],
        "matrix": dense,
    }
    operator = LinearOperatorTridiag(three[form], form)
    check(operator, dense)
    if form == "compact":
        check_gradients(operator)


def test_an_unknown_format():
    with pytest.raises(ValueError, match="compact, matrix, sequence"):
        LinearOperatorTridiag(np.ones((3, 3)), "diagonal")
