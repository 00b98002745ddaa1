"""Variables of converted code: unbound ones, and those of blocks."""

from types import SimpleNamespace

import pytest

from gradtape._src.autograph.variables import Block, Undefined, holding, is_undefined, ld, ldu


def test_reading_what_is_not_bound():
    assert ld(3) == 3
    with pytest.raises(UnboundLocalError, match="'y' is used before assignment"):
        ld(Undefined("y"))


@pytest.mark.parametrize("load", [{}.__getitem__, [].__getitem__])
def test_an_item_that_is_missing(load):
    missing = ldu(lambda: load(0), "a[0]")
    assert is_undefined(missing)
    assert repr(missing) == "a[0]"


def test_an_attribute_that_is_missing():
    assert is_undefined(ldu(lambda: object().a, "a"))


def made():
    x, y = 1, [2]

    def read():
        return x, y

    def write():
        nonlocal x
        x += 1
        return x

    def rebind(value):
        nonlocal x
        x = value

    return read, write, rebind


def test_blocks_run_on_variables_of_their_own():
    read, write, rebind = made()
    block = Block(read, write)
    rebind(100)
    first, second = block.fresh(), block.fresh()
    assert [first[1](), first[1](), second[1]()] == [2, 3, 2]
    assert first[0]() == (3, [2])
    assert read() == (100, [2])
    assert first[0]()[1] is read()[1]


def test_a_variable_that_is_not_bound_yet():
    def f():
        return later

    block = Block(f)
    later = 1
    with pytest.raises(NameError):
        block.fresh()[0]()
    assert f() == later


def test_attributes_are_put_back():
    holder = SimpleNamespace(v=1)

    def get():
        return (holder.v,)

    def put(values):
        (holder.v,) = values

    def fails():
        with holding(get, put, ["holder.v"], [5]):
            assert holder.v == 5
            holder.v = 7
            raise KeyError

    with pytest.raises(KeyError):
        fails()
    assert holder.v == 1
