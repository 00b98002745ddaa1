"""Outputs of cells, as notebooks keep them."""

from gradtape._src.cli.notebooks.shell import Outputs, Stream


def _text(name, text):
    return {"output_type": "stream", "name": name, "text": text}


def _shown(text):
    return {"output_type": "display_data", "data": {"text/plain": text}, "metadata": {}}


def test_text_of_one_stream_is_one_output():
    outputs = Outputs()
    out, err = Stream("stdout", outputs), Stream("stderr", outputs)
    print("a", "b", file=out)
    print("c", file=out)
    print("warning", file=err)
    print(end="", file=out)
    print("d", file=out)
    expected = [_text("stdout", "a b\nc\n"), _text("stderr", "warning\n"), _text("stdout", "d\n")]
    assert outputs.take() == expected
    assert outputs.take() == []


def test_an_update_reaches_outputs_that_were_taken():
    outputs = Outputs()
    outputs.add(_shown("before"), "k")
    taken = outputs.take()
    outputs.add(_shown("other"))
    outputs.update(_shown("after"), "k")
    outputs.update(_shown("nowhere"), "unknown")
    assert taken == [_shown("after")]
    assert outputs.take() == [_shown("other")]


def test_outputs_are_cleared_now_or_at_the_next_one():
    outputs = Outputs()
    outputs.write("stdout", "a")
    outputs.clear()
    outputs.write("stdout", "b")
    outputs.clear(wait=True)
    assert outputs.take() == [_text("stdout", "b")]
    outputs.write("stdout", "c")
    outputs.clear(wait=True)
    outputs.add(_shown("d"))
    assert outputs.take() == [_shown("d")]
