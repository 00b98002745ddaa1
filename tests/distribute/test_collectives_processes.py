"""Functions of programs of several processes are graphs, which give what Python gives."""

import numpy as np
import pytest
from free_ports import free_port
from runs import answer

pytest.importorskip("jax")

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("local", [1, 2])
def test_functions_of_two_processes_are_graphs(started, local):
    port = free_port()
    both = [started(local, i, port, program="functions.py") for i in range(2)]
    for eager, graphs, slopes, as_python in map(answer, both):
        assert len(eager) == len(graphs)
        for one, other in zip(eager, graphs, strict=True):
            for a, b in zip(one, other, strict=True):
                np.testing.assert_allclose(b, a, rtol=1e-6)
        assert slopes == [6.0 * (2 * local) ** 2] * 2
        assert as_python == ["slope_through_all"]
