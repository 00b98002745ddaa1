"""Finds the section of the documentation that explains an error.

docs/trouble/errors.md has a section for each topic, which `gradtape help TOPIC` prints. When an
error ends a program, a line below it names this command.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gradtape._src.core.tracebacks import topics


@dataclass(frozen=True)
class Topic:
    """A frequent error.

    Attributes:
      name: The name that `gradtape help` takes.
      heading: The heading of its section on the page of errors.
      pattern: A regular expression for the beginning of the message; empty if the message alone
        does not identify the error.
    """

    name: str
    heading: str
    pattern: str


TOPICS = (
    Topic(
        "second-gradient",
        "A non-persistent GradientTape can only be used ...",
        r"A non-persistent GradientTape can only be used",
    ),
    Topic(
        "unknown-argument",
        "Argument(s) not recognized: {'lr': ...}",
        r"Argument\(s\) not recognized:",
    ),
    Topic(
        "ragged-list",
        "Can't convert non-rectangular Python sequence",
        r"Can't convert non-rectangular Python sequence",
    ),
    Topic(
        "assigned-shape",
        "Cannot assign value to variable: Shape mismatch",
        r"Cannot assign value to variable .*Shape mismatch",
    ),
    Topic(
        "two-dtypes",
        "cannot compute AddV2 as input #1 was expected to be ...",
        r"cannot compute \w+ as input #\d+\(zero-based\) was expected to be",
    ),
    Topic(
        "scalar-iteration",
        "Cannot iterate over a scalar tensor",
        r"Cannot iterate over a scalar tensor",
    ),
    Topic(
        "concat-shapes",
        "ConcatOp: Dimension 1 in both shapes must be equal",
        r"ConcatOp : Dimension \d+ in both shapes must be equal",
    ),
    Topic(
        "item-assignment",
        "'EagerTensor' object does not support item assignment",
        r"'EagerTensor' object does not support item assignment",
    ),
    Topic("incompatible-shapes", "Incompatible shapes", r"Incompatible shapes:"),
    Topic(
        "index-out-of-range",
        "indices[0] = ... is not in [0, n)",
        r"indices(\[[\d,]*\])? = .* is not in \[0, \d+\)",
    ),
    Topic("singular-matrix", "Input is not invertible", r"Input is not invertible"),
    Topic(
        "rank-too-low",
        "Input tensor must have rank >= 2",
        r"Input tensor must have rank >= 2",
    ),
    Topic(
        "reshape-size",
        "Input to reshape is a tensor with ... values",
        r"Input to reshape is a tensor with \d+ values",
    ),
    Topic("reduction-axis", "Invalid reduction dimension", r"Invalid reduction dimension"),
    Topic("matmul-shapes", "Matrix size-incompatible", r"Matrix size-incompatible:"),
    Topic(
        "no-gradients",
        "No gradients provided for any variable",
        r"No gradients provided for any variable",
    ),
    Topic(
        "unknown-name",
        "TensorFlow has no '...', nor has gradtape",
        r"TensorFlow [\d.]+ has no '.*', nor has gradtape",
    ),
    Topic(
        "truth-value",
        "The truth value of an array with more than one element is ambiguous",
        r"The truth value of an array with more than one element is ambiguous: a tensor",
    ),
    Topic(
        "none-gradient",
        "unsupported operand type(s) for *: 'float' and 'NoneType'",
        "",  # `autodiff.none_gradients` determines whether the None is a gradient
    ),
    Topic(
        "dtype-not-allowed",
        "Value for attr 'TI' of float32 is not in the list of allowed values",
        r"Value for attr '\w+' of \w+ is not in the list of allowed values"
        r"|\w+ of \w+ has no kernel",
    ),
)
"""The sections of the page of errors, in its order."""


def topic_of(message: str) -> Topic | None:
    """Returns the topic of an error's message, or None if the page has no section for it.

    Args:
      message: The text of the error.
    """
    known = (topic for topic in TOPICS if topic.pattern)
    return next((topic for topic in known if re.match(topic.pattern, message)), None)


def hint_for(error: BaseException) -> str | None:
    """Returns the line that is printed below an error that ends a program.

    Args:
      error: The error.
    """
    topic = topic_of(str(error))
    return None if topic is None else f"Help: gradtape help {topic.name}"


topics.provide(hint_for)
