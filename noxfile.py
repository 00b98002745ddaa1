"""Tests under other versions of Python and of what gradtape stands on: `pipx run nox`.

    nox                      # the quick tests on every Python that is there
    nox -s whole-3.13        # every test on one of them
    nox -s newest            # with the newest NumPy, JAX and Keras that may be installed
    nox -s previews          # with their previews, which tells of trouble before it comes

`make test` runs everything on one Python with the versions of requirements-dev.lock.
"""

import nox

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
BENEATH = ["numpy", "scipy", "ml_dtypes", "jax", "keras"]
TOOLS = ["pytest>=8.3", "pytest-xdist>=3.6", "hypothesis>=6.100"]
QUICK = ["-n", "auto", "-m", "not slow"]

nox.options.sessions = ["quick"]
nox.options.error_on_missing_interpreters = False
nox.options.default_venv_backend = "uv|virtualenv"


@nox.session(python=PYTHONS)
def quick(session: nox.Session) -> None:
    """The tests that take less than a second each; arguments go to pytest."""
    session.install("-e", ".[dev]")
    session.run("python", "-m", "pytest", *(session.posargs or QUICK))


@nox.session(python=PYTHONS)
def whole(session: nox.Session) -> None:
    """Every test."""
    session.install("-e", ".[dev]")
    session.run("python", "-m", "pytest", "-n", "auto", *session.posargs)


@nox.session(python=PYTHONS[-1])
def newest(session: nox.Session) -> None:
    """Every test, with the newest released versions of the libraries beneath."""
    session.install("-e", ".[dev]")
    session.install("--upgrade", "--upgrade-strategy", "eager", *BENEATH)
    session.run("python", "-m", "pip", "list")
    session.run("python", "-m", "pytest", "-n", "auto", *session.posargs)


@nox.session(python=PYTHONS[-1])
def previews(session: nox.Session) -> None:
    """The quick tests, with previews of the libraries beneath."""
    session.install("-e", ".[dev]")
    session.install("--upgrade", "--pre", *BENEATH)
    session.run("python", "-m", "pytest", *(session.posargs or QUICK))


@nox.session(python=PYTHONS[0])
def oldest(session: nox.Session) -> None:
    """The tests that need no extra, with the oldest versions that pyproject.toml allows."""
    project = nox.project.load_toml("pyproject.toml")["project"]
    pins = [d.replace(">=", "==").partition(";")[0].strip() for d in project["dependencies"]]
    session.install("-e", ".", *pins, *TOOLS)
    folders = [f"tests/{room}" for room in ("base", "core", "declare", "autodiff")]
    session.run("python", "-m", "pytest", "-n", "auto", "-m", "not slow", *folders)
