"""A test for each combination of arguments: `tf.__internal__.test.combinations`."""

from gradtape._src.compat.internals.combinations import NamedObject as NamedObject
from gradtape._src.compat.internals.combinations import OptionalParameter as OptionalParameter
from gradtape._src.compat.internals.combinations import ParameterModifier as ParameterModifier
from gradtape._src.compat.internals.combinations import TestCombination as TestCombination
from gradtape._src.compat.internals.combinations import combine as combine
from gradtape._src.compat.internals.combinations import generate as generate
from gradtape._src.compat.internals.combinations import times as times
