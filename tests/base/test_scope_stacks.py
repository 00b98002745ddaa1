"""`with` blocks that are left whatever happens in them."""

import contextlib

import pytest

from gradtape._src.base.scope_stacks import Setting

now = ["outside"]


def put(value):
    now[0] = value


def setting(new):
    return Setting(lambda: now[0], put, new)


@pytest.fixture(autouse=True)
def _outside():
    put("outside")


def test_blocks_nest():
    with setting("a"):
        with setting("b"):
            assert now == ["b"]
        assert now == ["a"]
    assert now == ["outside"]


def test_an_error_leaves_the_block():
    with pytest.raises(KeyError), setting("a"):
        raise KeyError
    assert now == ["outside"]


def test_one_scope_can_be_entered_again_and_within_itself():
    scope = setting("a")
    with scope, setting("b"), scope:
        assert now == ["a"]
    assert now == ["outside"]


def test_as_a_decorator_and_in_an_exit_stack():
    assert setting("a")(lambda: now[0])() == "a"
    with contextlib.ExitStack() as stack:
        stack.enter_context(setting("a"))
        assert now == ["a"]
    assert now == ["outside"]


def test_a_generator_that_is_given_up_leaves_its_block():
    def generator():
        with setting("a"):
            yield

    running = generator()
    next(running)
    assert now == ["a"]
    running.close()
    assert now == ["outside"]
