"""Public definitions: the tracebacks of a class's methods are short."""

from gradtape._src.base.export import shorten_errors_of_methods


def test_code_of_programs_is_left_as_it_is():
    class Own:
        def method(self):
            return 1

    code = Own.method.__code__
    assert shorten_errors_of_methods(Own) is Own
    assert Own.method.__code__ is code


def test_methods_of_the_library_shorten_tracebacks():
    source = compile(
        "def method(self):\n    return 1\n", shorten_errors_of_methods.__code__.co_filename, "exec"
    )
    names = {}
    exec(source, names)
    Made = type("Made", (), {"method": names["method"], "_private": names["method"]})
    code = names["method"].__code__
    shorten_errors_of_methods(Made)
    assert Made.method.__code__ is not code
    assert Made().method() == 1
