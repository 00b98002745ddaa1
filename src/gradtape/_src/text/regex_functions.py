"""Regular expressions in strings: `tf.strings.regex_*`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape._src.base.export import export, raw_op
from gradtape._src.core.tensor import Tensor
from gradtape._src.declare.attributes import takes
from gradtape._src.text.regex_engines import Rewrite, matcher
from gradtape._src.text.values import each, text_argument


@export("strings.regex_full_match")
@raw_op("RegexFullMatch")
@raw_op("StaticRegexFullMatch")
def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Tensor:
    """Returns whether each whole string matches a regular expression in RE2's syntax.

    Args:
      input: A string tensor.
      pattern: The regular expression.
      name: Accepted for compatibility.

    Returns:
      A bool tensor of the shape of `input`.

    Raises:
      InvalidArgumentError: `pattern` is not a valid regular expression.
      ModuleNotFoundError: Python's `re` might take exponential time, and RE2 (the extra `re2`) is
        not installed.

    >>> tf.strings.regex_full_match(["ab", "abc"], "a.").numpy()
    array([ True, False])
    """
    text = text_argument(pattern)
    found = matcher(text, "RegexFullMatch")
    return each(found.fullmatch, input, "RegexFullMatch", np.bool_, pattern=text)


@export("strings.regex_replace")
@takes(replace_global="bool")
@raw_op("RegexReplace")
@raw_op("StaticRegexReplace")
def regex_replace(
    input: Any,
    pattern: Any,
    rewrite: Any,
    replace_global: bool = True,
    name: str | None = None,
) -> Tensor:
    r"""Replaces matches of a regular expression in RE2's syntax.

    Args:
      input: A string tensor.
      pattern: The regular expression.
      rewrite: The replacement; `\1` to `\9` stand for groups, `\0` for the whole match.
      replace_global: Whether to replace all matches, or only the first.
      name: Accepted for compatibility.

    Returns:
      A string tensor of the shape of `input`.

    Raises:
      InvalidArgumentError: `pattern` is not a valid regular expression.
      ModuleNotFoundError: Python's `re` might take exponential time, and RE2 (the extra `re2`) is
        not installed.

    >>> tf.strings.regex_replace(["a-b", "c-d"], "-", "+").numpy()
    array([b'a+b', b'c+d'], dtype=object)
    """
    text, put = text_argument(pattern), text_argument(rewrite)
    found, written = matcher(text, "RegexReplace"), Rewrite(put)
    return each(
        lambda text: found.replaced(text, written, replace_global),
        input,
        "RegexReplace",
        pattern=text,
        rewrite=put,
        replace_global=replace_global,
    )
