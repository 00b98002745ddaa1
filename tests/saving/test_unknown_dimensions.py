"""Programs for any length, made of two programs for two lengths."""

import numpy as np
import pytest

pytest.importorskip("jax")

import jax
from jax import export

from gradtape._src.saving.unknown_dimensions import general_program

LENGTHS = (6, 10)


def general(functions):
    symbol = export.symbolic_shape("n")[0]
    inputs = [[jax.ShapeDtypeStruct((n, 3), np.float32)] for n in LENGTHS]
    program = general_program(functions, inputs, LENGTHS, symbol)
    spec = jax.ShapeDtypeStruct((symbol, 3), np.float32)
    return export.export(jax.jit(program))(spec)


def test_numbers_that_depend_on_the_length_become_formulas_of_it():
    def mean_of_rows(n):
        return lambda x: [x.reshape(n * 3).sum() / n, x[: n - 1]]

    made = general([mean_of_rows(n) for n in LENGTHS])
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    mean, rows = made.call(x)
    np.testing.assert_allclose(mean, x.sum() / 4)
    np.testing.assert_allclose(rows, x[:3])


def test_programs_that_do_different_things_are_an_error():
    with pytest.raises(ValueError, match="length"):
        general([lambda x: [x * 2.0], lambda x: [x + x + x]])
