"""Names of gradtape's own that will go warn once, and go when it was said."""

import threading
import warnings

import pytest

from gradtape._src.declare import deprecation
from gradtape._src.declare.deprecation import DEPRECATED, deprecated, overdue, release


@pytest.fixture(autouse=True)
def _as_it_was(monkeypatch):
    monkeypatch.setattr(deprecation, "DEPRECATED", {})
    monkeypatch.setattr(deprecation, "_warned", set())


def old():
    @deprecated("autodiff.old", since="0.2", removal="0.4", instead="tf.autodiff.new")
    def f(x, y=1):
        """Adds."""
        return x + y

    return f


def test_the_first_call_warns_and_names_the_callers_line():
    f = old()
    with pytest.warns(DeprecationWarning, match=r"tf\.autodiff\.old is deprecated") as caught:
        assert f(1, y=2) == 3
    message = str(caught[0].message)
    assert "since gradtape 0.2" in message
    assert "removed in 0.4. Use tf.autodiff.new instead." in message
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f(1) == 2


def test_threads_that_call_at_once_are_warned_once():
    f, start = old(), threading.Barrier(4)

    def call():
        start.wait()
        f(1)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        threads = [threading.Thread(target=call) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(caught) == 1


def test_the_documentation_says_it():
    f = old()
    assert f.__name__ == "f"
    assert f.__doc__.startswith("Adds.\n\nDeprecated: tf.autodiff.old is deprecated")


def test_what_is_there_longer_than_was_said_is_found():
    old()
    assert overdue("0.3.9") == []
    assert [d.name for d in overdue("0.4.0")] == ["autodiff.old"]
    assert [d.name for d in overdue("0.10")] == ["autodiff.old"]


def test_gradtape_has_nothing_that_should_be_gone(monkeypatch):
    monkeypatch.setattr(deprecation, "DEPRECATED", DEPRECATED)
    assert overdue() == []


def test_versions_are_compared_as_numbers():
    assert release("0.10.1") > release("0.9")
    assert release("1.2+local.7") == (1, 2)
    with pytest.raises(ValueError, match="invalid literal"):
        release("next")


def test_bad_declarations():
    with pytest.raises(ValueError, match="must come after"):
        deprecated("a", since="0.4", removal="0.4", instead="b")
    old()
    with pytest.raises(ValueError, match="already"):
        old()
