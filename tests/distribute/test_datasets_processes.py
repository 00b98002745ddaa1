"""Datasets that several processes share."""

import pytest
from free_ports import free_port
from runs import answer, start

pytest.importorskip("jax")

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("workers", [2, 3])
def test_every_element_goes_to_one_worker(workers, tmp_path):
    ports = [free_port() for _ in range(workers)]
    processes = [start(tmp_path, i, *ports, program="shares.py") for i in range(workers)]
    try:
        found = [answer(process) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    for cases in zip(*found, strict=True):
        (what, total, _), *_ = cases
        got = [x for _, _, steps in cases for step in steps for x in step]
        assert sorted(got) == [*range(total)], what
        assert len({len(steps) for _, _, steps in cases}) == 1, what
