"""Warnings about old names and arguments, as TensorFlow's own decorators give them."""

import logging

from gradtape._src.compat.python import deprecation


def test_deprecation_is_said_once(caplog):
    @deprecation.deprecated("2030-01-31", "Use `new`.")
    def old():
        return 1

    @deprecation.deprecated_args(None, "Leave it out.", "b")
    def some(a, b=2):
        return a + b

    with caplog.at_level(logging.WARNING, "tensorflow"), deprecation.silence():
        assert old() == 1
    assert not caplog.records
    with caplog.at_level(logging.WARNING, "tensorflow"):
        assert [old(), old(), some(1), some(1, 3)] == [1, 1, 3, 4]
    assert len(caplog.records) == 2
    assert "after 2030-01-31" in caplog.text
    assert "b=3" in caplog.text
