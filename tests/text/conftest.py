"""The engines of regular expressions."""

import pytest

from gradtape._src.text import regex_engines

re2 = regex_engines.re2()


@pytest.fixture(params=[re2, None], ids=["re2", "python"])
def engine(request, monkeypatch):
    if request.param is None:
        monkeypatch.setattr(regex_engines, "re2", lambda: None)
    return request.param
