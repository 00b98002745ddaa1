"""The private parts of JAX that gradtape uses: they are there, and there is a way without them."""

import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("jax")

import gradtape
from gradtape._src.compute import devices, jax_private
from gradtape._src.xla.kernels import large_arrays


@pytest.fixture
def without(monkeypatch):
    """Makes JAX lack some of the names."""

    def lack(*names):
        real = jax_private.found
        monkeypatch.setattr(jax_private, "found", lambda p: None if p in names else real(p))

    return lack


@pytest.mark.parametrize("private", jax_private.MANIFEST, ids=lambda p: f"{p.module}.{p.name}")
def test_each_private_name_is_as_expected(private):
    assert jax_private.found(private) is not None
    assert private.why
    assert private.without


@pytest.mark.parametrize("change", [{"name": "no_such_thing"}, {"takes": ("nothing",)}])
@pytest.mark.parametrize("private", [jax_private.STARTED, *jax_private.PROCESSES[:5]], ids=str)
def test_what_looks_different_is_not_found(private, change):
    assert jax_private.found(private._replace(**change)) is None
    assert jax_private.found(private._replace(module="jax.no_such_module")) is None


def test_parameters_of_a_compiled_function_are_those_of_its_docstring():
    class Compiled:
        """made(address: str, num_nodes: int, timeout: int | None = None) -> None"""

        def __call__(self, *args, **kwargs):
            """Python sees no more of the parameters than this."""

    assert jax_private._parameters(Compiled()) == {"address", "num_nodes", "timeout"}


def test_private_modules_of_jax_are_named_where_they_are_declared():
    root = Path(gradtape.__file__).parent
    places = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if re.search(r"jax\._src|jaxlib\.|unsafe_buffer_pointer", path.read_text(encoding="utf-8"))
    }
    assert places == {"_src/compute/jax_private.py", "_src/distribute/processes.py"}


def test_without_the_question_jax_counts_as_started_once_it_is_imported(without):
    without(jax_private.STARTED)
    assert devices.jax_runs()


def test_without_the_pointer_results_are_copied(without):
    import jax

    (cpu, *_) = jax.local_devices(backend="cpu")
    array = jax.device_put(np.arange(6.0).reshape(2, 3), cpu)
    shared = large_arrays._of_numpy(array)
    without(jax_private.BUFFER)
    copied = large_arrays._of_numpy(array)
    np.testing.assert_array_equal(copied, shared)
    copied[0, 0] = 5
    assert array[0, 0] == 0


def test_without_the_runtime_several_processes_are_refused(without):
    jax_private.check_processes()
    without(jax_private.PROCESSES[1])
    with pytest.raises(ImportError, match=r"register_backend_factory of JAX .* is missing"):
        jax_private.check_processes()
