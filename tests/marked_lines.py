"""Checks of explanations, which must name the line that a test marks with `# <-`."""

import inspect
import sys


def _marked_line(frame):
    """The number of the line marked `# <-` in the function of a frame."""
    lines, first = inspect.getsourcelines(frame.f_code)
    (at,) = [i for i, line in enumerate(lines) if line.rstrip().endswith("# <-")]
    return first + at


def check_cause(why, cause, **facts):
    """Checks the explanation of a gradient that is None."""
    frame = sys._getframe(1)
    assert why.cause is cause, str(why)
    assert why.where is not None, str(why)
    assert why.where.line == _marked_line(frame), str(why)
    assert why.where.file == frame.f_code.co_filename
    assert why.mend, str(why)
    for name, value in facts.items():
        assert getattr(why, name) == value, str(why)
    assert why.where.source.strip().split("#")[0].strip() in str(why)
    return why


def check_finding(caught, trap, phase, operation):
    """Checks the error that names the origin of a number that is not finite."""
    frame = sys._getframe(1)
    finding = caught.value.finding
    assert finding.trap is trap, str(finding)
    assert (finding.phase, finding.operation) == (phase, operation), str(finding)
    assert finding.where.file == frame.f_code.co_filename, str(finding)
    assert finding.where.line == _marked_line(frame), str(finding)
    assert trap.value in str(caught.value)
    assert "To mend it" in str(caught.value)
    return finding
