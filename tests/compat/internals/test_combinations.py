"""Tests for each combination of arguments; names and messages are TensorFlow's."""

import unittest

import pytest

import gradtape as tf

parameterized = pytest.importorskip("absl.testing.parameterized")
C = tf.__internal__.test.combinations


def test_combine_and_times():
    assert C.combine(a=[1, 2], b="x") == [{"a": 1, "b": "x"}, {"a": 2, "b": "x"}]
    assert C.combine(a=[]) == []
    assert C.combine() == [{}]
    assert list(C.combine(b=1, a=2)[0]) == ["a", "b"]
    assert C.times(C.combine(a=[1, 2]), C.combine(b=3)) == [{"a": 1, "b": 3}, {"a": 2, "b": 3}]
    with pytest.raises(ValueError, match="Keys need to not overlap"):
        C.times(C.combine(a=1), C.combine(a=2))
    with pytest.raises(AssertionError):
        C.times()


def test_named_objects_stand_for_their_values():
    named = C.NamedObject("name", [1])
    assert (repr(named), list(named), named.index(1)) == ("name", [1], 0)


def results(case):
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    return result


def test_methods_run_with_each_combination():
    seen = []

    class Case(parameterized.TestCase):
        @C.generate(C.combine(mode=["graph", "eager"], a=[1, C.NamedObject("two", 2)]))
        def test_it(self, a):
            seen.append((self._testMethodName, str(a), tf.executing_eagerly()))

        @C.generate(C.combine(tf_api_version=[1, 2]))
        def test_version(self):
            seen.append(self._testMethodName)

    assert len(results(Case).skipped) == 1
    assert seen == [
        ("test_it_test_a_1_mode_eager", "1", True),
        ("test_it_test_a_1_mode_graph", "1", False),
        ("test_it_test_a_two_mode_eager", "two", True),
        ("test_it_test_a_two_mode_graph", "two", False),
        "test_version_test_tfapiversion_2",
    ]


def test_wrong_parameters_are_errors():
    class Case(parameterized.TestCase):
        @C.generate(C.combine(a=1))
        def test_not_taken(self):
            pass

        @C.generate(C.combine(a=1))
        def test_not_given(self, a, b):
            pass

        @C.generate(C.combine(mode="other"))
        def test_mode(self):
            pass

    said = "\n".join(text for _, text in results(Case).errors)
    assert "does not take parameters that were passed" in said
    assert "requires parameters whose arguments were not passed" in said
    assert "must be either 'eager' or 'graph'" in said


def test_classes_and_modifiers():
    seen = []

    class Add(C.ParameterModifier):
        def modified_arguments(self, kwargs, requested_parameters):
            return {"a": kwargs["a"] + 10}

    class Added(C.TestCombination):
        def parameter_modifiers(self):
            return [Add(), Add(), C.OptionalParameter("other")]

    @C.generate(C.combine(a=[1, 2], other=0), test_combinations=(Added(),))
    class Case(unittest.TestCase):
        def test_it(self, a):
            seen.append((self._testMethodName, a))

    assert not results(Case).errors
    assert seen == [("test_it_test_a_1_other_0", 11), ("test_it_test_a_2_other_0", 12)]
    assert Add("x") == Add("x")
    assert Add("x") != Add("y")
    assert Add("x") != C.OptionalParameter("x")
    assert len({Add(), Add(), Add("x")}) == 2
