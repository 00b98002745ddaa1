"""RE2 and Python's `re` give the same matches; neither takes exponential time."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradtape as tf
from gradtape._src.text import regex_engines
from gradtape._src.text.regex import PatternError, translated
from gradtape._src.text.regex_ambiguity import character

re2 = regex_engines.re2()
needs_re2 = pytest.mark.skipif(re2 is None, reason="needs the extra re2")
BLOWING_UP = [
    "(a+)+$",
    "(a*)*b",
    "(?:a|a)*b",
    "(a|ab|b)*c",
    "([a-z]+)*1",
    "(\\w+\\s*)+!",
    "(?i:a|A)*b",
    "(.*,)*x",
    "(é|\\pL)+1",
    "((a{1,30}){1,30})b",
    "(a?){30}a{30}",
    "a?" * 30 + "a" * 30,
    "(a+){20}b",
    "(?U)(a+)+b",
    "(\\Qaa\\E+)+b",
]
HARMLESS = [
    "a*b",
    "(foo|bar)*",
    "(\\d+,)*\\d+",
    "\\d{1,3}(\\.\\d{1,3}){3}",
    "[^,]*(,[^,]*)?",
    "(\\w+)@(\\w+)\\.com",
    "[!\"#$%&()\\*\\+,-\\./:;<=>?@\\[\\\\\\]^_`{|}~\\']",
    "<[^>]+>",
    "\\s+",
    "(?i)hello|world",
    "^\\s+|\\s+$",
    "(a{2})+",
    "#\\w+|@\\w+",
    ".*a.*b",
]


@needs_re2
@pytest.mark.parametrize("pattern", BLOWING_UP)
def test_re2_takes_them_all(pattern):
    text = "a" * 40 + "?"
    assert not tf.strings.regex_full_match(text, pattern)
    assert tf.strings.regex_replace("?", pattern + "|\\?", "x").numpy() in {b"x", b"xx"}


@pytest.mark.parametrize("pattern", BLOWING_UP)
def test_without_it_they_are_refused(monkeypatch, pattern):
    monkeypatch.setattr(regex_engines, "re2", lambda: None)
    with pytest.raises(ModuleNotFoundError, match=r"gradtape\[re2\]"):
        tf.strings.regex_full_match("a" * 40, pattern)
    with pytest.raises(ModuleNotFoundError, match="Op:RegexReplace"):
        tf.strings.regex_replace("a" * 40, pattern, "")


@pytest.mark.parametrize("pattern", HARMLESS)
def test_ordinary_patterns_are_not_refused(pattern):
    assert translated(pattern)[1]


# As TensorFlow 2.21 has it.
REWRITES = [
    (True, "\\q", b"a-"),
    (True, "q\\", b"qa-q"),
    (True, "x\\1\\q", b"xXa-xX"),
    (True, "\\1\\2\\q", b"aXa-aX"),
    (True, "ok\\\\", b"ok\\a-ok\\"),
    (False, "\\q", b"aXa-aX"),
    (False, "\\2", b"aXa-aX"),
    (False, "ok\\\\", b"ok\\a-aX"),
]


@pytest.mark.parametrize(("everywhere", "rewrite", "expected"), REWRITES)
def test_rewrites(engine, everywhere, rewrite, expected):
    found = tf.strings.regex_replace("aXa-aX", "a(X)", rewrite, replace_global=everywhere)
    assert found.numpy() == expected


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        ("éaé", "a*", "-é-é-".encode()),
        (b"\xc3a\xff", "a*", b"-\xc3-\xff-"),
        ("foo bar é", "\\b", "|foo| |bar| é".encode()),
        ("aaa", "^a", None),
    ],
)
def test_characters_stay_whole(engine, text, pattern, expected):
    rewrite = "-" if expected is None or b"-" in expected else "|"
    expected = expected or b"-aa"
    assert tf.strings.regex_replace(text, pattern, rewrite).numpy() == expected


atoms = st.sampled_from(
    [
        "a",
        "b",
        "é",
        ".",
        "[ab]",
        "[^a]",
        "\\d",
        "\\w",
        "\\s",
        "\\.",
        "[[:alpha:]-]",
        "\\b",
        "^",
        "$",
    ]
)
repeats = st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,2}", "{1,}", "*?", "+?"])
patterns = st.recursive(
    st.builds("{}{}".format, atoms, repeats),
    lambda inner: st.one_of(
        st.builds("{}{}".format, inner, inner),
        st.builds("({}|{}){}".format, inner, inner, repeats),
        st.builds("(?:{}){}".format, inner, repeats),
        st.builds("(?i:{})".format, inner),
    ),
    max_leaves=6,
)
texts = st.text("abAé1 .\n-", max_size=12).map(str.encode) | st.binary(max_size=8)


@pytest.mark.slow
@needs_re2
@settings(max_examples=400)
@given(patterns, texts, st.booleans())
def test_both_engines_agree(pattern, text, everywhere):
    by_re2 = regex_engines._matcher(pattern, "Test", re2)
    try:
        by_python = regex_engines._matcher(pattern, "Test", None)
    except ModuleNotFoundError:
        return
    rewrite = regex_engines.Rewrite("<\\0>")
    assert by_python.fullmatch(text) == by_re2.fullmatch(text)
    assert by_python.replaced(text, rewrite, everywhere) == by_re2.replaced(
        text, rewrite, everywhere
    )


@pytest.mark.slow
@needs_re2
@settings(max_examples=300)
@given(st.text("ab*+?|()[]{}1,^$.\\-dQEi:P<>", max_size=8))
def test_both_refuse_the_same(pattern):
    def taken(module):
        try:
            regex_engines._matcher(pattern, "Test", module)
        except tf.errors.InvalidArgumentError:
            return False
        except ModuleNotFoundError:
            return True
        return True

    assert taken(None) == taken(re2)


@given(patterns)
def test_what_is_let_through_does_not_blow_up(pattern):
    """An exponential pattern would not come to its end on these texts at all."""
    try:
        found, safe = translated(pattern)
    except PatternError:
        return
    if safe:
        for text in ("a" * 300, "ab" * 150, "é" * 300, "1a " * 100):
            found.fullmatch(text + "!")


def test_masks():
    assert character("[a-c]", False).first == 0b111 << ord("a")
    assert character("a", True).first & 1 << ord("A")
    assert character("[^a]", False).first >> 128
    assert not character(re.escape("."), False).first >> 128
