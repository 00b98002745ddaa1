"""The codes of `gradtape doctor`'s findings; docs/trouble/doctor.md explains each code."""

from typing import NamedTuple

FORMATS = ("full", "concise", "json", "github", "sarif")
"""The forms of a report."""
PAGE = "trouble/doctor.md"
ERROR, WARNING = "error", "warning"


class Code(NamedTuple):
    """A kind of finding.

    Attributes:
        code: The identifier of the finding, such as `"GT001"`.
        kind: The kind in a word.
        title: The kind in a few words.
        level: `"error"` if the program fails there, else `"warning"`.
    """

    code: str
    kind: str
    title: str
    level: str


CODES = (
    Code("GT001", "not_yet", "a TensorFlow name that gradtape lacks", ERROR),
    Code("GT002", "unknown", "not a TensorFlow name", ERROR),
    Code("GT003", "inside", "internal to TensorFlow", ERROR),
    Code("GT004", "extra", "a name that needs an extra", ERROR),
    Code("GT005", "left_out", "a TensorFlow name that gradtape leaves out", ERROR),
    Code("GT006", "member", "a method or attribute that is lacking", ERROR),
    Code("GT007", "argument", "an argument that a function does not take", ERROR),
    Code("GT101", "unwatched", "a gradient with respect to a tensor that no tape watches", WARNING),
    Code("GT102", "integer", "a gradient with respect to integers", WARNING),
    Code("GT103", "persistent", "a second gradient of a tape that is not persistent", WARNING),
    Code("GT104", "rebound", "a variable that is replaced by a tensor", WARNING),
    Code("GT105", "array", "a gradient through a NumPy array", WARNING),
    Code("GT106", "replaced", "a tf name that the program replaces", WARNING),
)
BY_KIND = {code.kind: code for code in CODES}
BY_CODE = {code.code: code for code in CODES}
