"""The checks of a target before it is replaced."""

import types
import warnings

import pytest
from fake_patches import patch

from gradtape._src.compat.patch import CLASS, PROPERTY, Bridge, Patch

# A library of which only the test knows.

FAKE = """
class Thing:
    def __init__(self, a):
        self.a = a
    @property
    def value(self):
        return self.a
def f(x, *, flag=False): return "own f"
def g(x): return len(x)
class Alias(Thing): pass
"""


def adapted(*patches, version="2.4.1", source=FAKE):
    module = types.ModuleType("fake.part")
    exec(source, vars(module))
    bridge = Bridge("Fake", patches, lambda: version, switch="FAKE_OFF", effect="It is slower.")
    bridge.adapt(module)
    return bridge, module


def test_what_matches_is_replaced():
    bridge, module = adapted(patch("f", "(x, *, flag=False)"), patch("Thing.__init__", "(self, a)"))
    assert module.f(1) == "ours"
    assert bridge.applied == {"fake.part.f", "fake.part.Thing.__init__"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bridge.report(["fake.part"])


MISMATCHES = {
    "another signature": (patch("f", "(x)"), r"expected \(x\), found \(x, \*, flag=False\)"),
    "missing function": (patch("h", "(x)"), "h is missing"),
    "missing class": (patch("No.h", "(x)"), "No is missing"),
    "missing method": (patch("Thing.h", "(self)"), "Thing.h is missing"),
    "property": (patch("Thing.value", "(self)"), "found property"),
    "function": (patch("f", PROPERTY), "expected property"),
    "class": (patch("Thing", "(a)"), "found class"),
    "no class": (patch("f", CLASS), "expected class"),
    "what it needs": (patch("f", "(x, *, flag=False)", needs=("Thing.no",)), "Thing.no is missing"),
    "what it mentions": (patch("g", "(x)", mentions=("len", "max")), "does not mention max"),
    "what it sets": (patch("Thing.__init__", "(self, a)", stores=frozenset("ab")), "sets b"),
    "after": (patch("g", "(x)", after=("f",)), "needs the replacement of f"),
}


@pytest.mark.parametrize("case", MISMATCHES)
def test_what_does_not_match_is_left_alone_with_one_warning(case):
    wrong, reason = MISMATCHES[case]
    good = patch("Alias.__init__", "(self, a)")
    bridge, module = adapted(wrong, good)
    assert bridge.applied == {good.target}
    assert "own f" in (module.f(1), "")
    assert module.g("ab") == 2
    with pytest.warns(UserWarning, match=reason) as caught:
        bridge.report(["fake.part"])
    bridge.report(["fake.part"])  # says nothing more: warnings are errors here
    (message,) = [str(w.message) for w in caught]
    assert wrong.target in message
    assert "Fake 2.4.1" in message
    assert "FAKE_OFF=1" in message


def test_a_replacement_that_cannot_be_made_is_left_out():
    def replace(original, module):
        return module.not_there

    bridge, module = adapted(Patch("fake.part", "g", "(x)", replace, "Why.", ("2.1", "2.9")))
    assert module.g("ab") == 2
    with pytest.warns(UserWarning, match="not_there"):
        bridge.report()


def test_all_unmatched_targets_are_in_the_one_warning():
    bridge, _ = adapted(patch("f", "()"), patch("g", "()"))
    with pytest.warns(
        UserWarning,
        match=r"2 of the functions that gradtape replaces.*fake\.part\.f: .*; fake\.part\.g: ",
    ) as caught:
        bridge.report()
    assert len(caught) == 1


def test_a_module_that_is_gone_is_reported():
    bridge = Bridge("Fake", [patch("f", "(x)")], lambda: "2.4", switch="FAKE_OFF", effect="")
    with pytest.warns(UserWarning, match=r"fake\.part\.f: its module is missing"):
        bridge.report(["fake"])


def test_older_versions_have_no_target_and_no_warning():
    bridge, module = adapted(patch("h", "(x)"), patch("g", "(x)"), version="2.0.3")
    assert module.g("ab") == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bridge.report(["fake.part"])
        bridge.report([])


def test_the_switch_leaves_everything_as_it_is(monkeypatch):
    monkeypatch.setenv("FAKE_OFF", "1")
    bridge, module = adapted(patch("g", "(x)"), patch("h", "(x)"))
    assert module.g("ab") == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bridge.report([])
