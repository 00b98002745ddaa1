"""Regular expressions as RE2 has them; values are TensorFlow's."""

import pytest

import gradtape as tf
from gradtape._src.text import regex_engines

re2 = regex_engines.re2()


s = tf.strings


@pytest.mark.parametrize(
    ("pattern", "rewrite", "text", "expected"),
    [
        ("b*", "-", "abc", b"-a-c-"),  # no empty match after a match
        ("a*?", "<\\0>", "aab", b"<>a<>a<>b<>"),
        ("$", "x", "a\n", b"a\nx"),
        (".", "x", b"a\xffb", b"x\xffx"),
        ("[^a]", "x", b"a\xffb", b"a\xffx"),
        ("(?i)S", "x", "\u017fs", b"xx"),
        ("a(?i)b|c", "x", "aB C", b"x x"),
        ("[[:^alpha:]]", "", "a1 b", b"ab"),
        ("[^\\D]", "#", "a1", b"a#"),
        ("\\p{Lu}\\PL", "x", "É1e1", b"xe1"),
        ("\\Qa.b\\E", "x", "a.b aXb", b"x aXb"),
        ("\\s", "", "a\x0bb c", b"a\x0bbc"),
        ("(\\w+) (\\w+)", "\\2 \\1", "ab cd", b"cd ab"),
        ("(?U)a+", "x", "aa", b"xx"),
        ("[a&&b-]", "x", "&-c", b"xxc"),
        ("a", "x\\n", "abc", b"xbc"),  # what stands before what is no rewrite
        ("(b)", "\\2", "abc", b"abc"),
    ],
)
def test_regular_expressions_of_re2(pattern, rewrite, text, expected):
    assert s.regex_replace([text], pattern, rewrite).numpy()[0] == expected


@pytest.mark.parametrize(
    "pattern",
    ["a(?=b)", "(a)\\1", "a*+", "a**", "(b", "b)", "[z-a]", "a{1001}", "\\q", "(?>a)", "\\Z"],
)
def test_patterns_that_re2_refuses(pattern):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid pattern"):
        s.regex_full_match(["x"], pattern)


@pytest.mark.parametrize("pattern", ["(", "a**", "\\1", "(?=a)", "a{1001}", "(?P<n>a", "[z-a]"])
def test_what_is_no_pattern(engine, pattern):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Invalid pattern: .*error: "):
        tf.strings.regex_replace("a", pattern, "")


def test_a_pattern_that_is_nested_too_deeply(monkeypatch):
    monkeypatch.setattr(regex_engines, "re2", lambda: None)
    with pytest.raises(tf.errors.InvalidArgumentError, match="nest"):
        tf.strings.regex_full_match("a", "(" * 5000 + ")" * 5000)
