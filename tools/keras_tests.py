"""Runs Keras' own tests on gradtape or on the real TensorFlow, and compares the outcomes.

Keras' wheel contains the tests. Run them in an environment that has Keras with either gradtape
or the real TensorFlow, and compare the outcomes:

    python tools/keras_tests.py run [--gradtape] OUT.json [FOLDER_OR_FILE ...]
    python tools/keras_tests.py compare TENSORFLOW.json GRADTAPE.json [--table docs/keras.md]

Each file runs in a fork of a process that has loaded Keras, and has a time limit. OUT.json keeps
earlier outcomes of files that do not run again.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import json
import os
import re
import signal
import sys
import tempfile
import time
import traceback
import types
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

TIME_LIMIT = 300  # the maximum number of seconds for a file
OUTCOMES = "KERAS_TESTS_OUTCOMES"
ASIDE = ("jax.numpy", "torch", "pandas", "scipy.signal")  # other modules that many tests import
MARKERS = ("requires_trainable_backend", "multi_device")
BEGIN, END = "<!-- keras_tests: begin -->", "<!-- keras_tests: end -->"

# These files are for other back ends, or need files that are not in the wheel.
ELSEWHERE = re.compile(r"backend/(jax|torch|numpy|openvino)/")

ADDRESS = re.compile(r"0x[0-9a-f]+")  # some tests have addresses in their names

Results = dict[str, dict[str, list[str]]]  # file -> test -> [outcome, last line of the failure]


# The functions below are pytest's hooks.


def pytest_configure(config: Any) -> None:
    """Does the work of Keras' conftest.py, which is not in the wheel."""
    for marker in MARKERS:
        config.addinivalue_line("markers", f"{marker}: used by Keras")
    conftest = types.ModuleType("conftest")
    vars(conftest)["skip_if_backend"] = _skip_if_backend
    sys.modules["conftest"] = conftest


def _skip_if_backend(name: str, reason: str) -> Callable[[Any], Any]:
    pytest, keras = importlib.import_module("pytest"), importlib.import_module("keras")
    return pytest.mark.skipif(keras.backend.backend() == name, reason=reason)  # type: ignore[no-any-return]


def pytest_runtest_logreport(report: Any) -> None:
    """Writes a test's outcome immediately, so that it is kept if the file runs out of time."""
    if report.when != "call" and report.passed:
        return
    outcome = "xfailed" if hasattr(report, "wasxfail") else report.outcome
    _write(report.nodeid, outcome, report.longrepr, report.when)


def pytest_collectreport(report: Any) -> None:
    """Reports a file that cannot be imported as one failure."""
    if report.failed:
        _write(f"{report.nodeid}::import", "failed", report.longrepr, "collect")


def _write(test: str, outcome: str, failure: Any, when: str) -> None:
    if outcome == "skipped":
        reason = str(failure[-1] if isinstance(failure, tuple) else failure)
    else:
        crash = getattr(failure, "reprcrash", None)
        reason = crash.message if crash is not None else str(failure or "")
    with Path(os.environ[OUTCOMES]).open("a") as file:
        file.write(json.dumps([test, outcome, reason[:1500], when]) + "\n")


# The functions below are the program.


def keras_sources() -> Path:
    """Returns the folder of Keras' sources, found without importing Keras."""
    spec = importlib.util.find_spec("keras")
    if spec is None or spec.origin is None:
        raise SystemExit("Keras is not installed in this environment")
    return Path(spec.origin).parent / "src"


def test_files(wanted: list[str]) -> Iterator[str]:
    """Yields the given files of tests and those in given folders, relative to the sources."""
    root = keras_sources()
    for path in sorted(root.rglob("*_test.py")):
        name = path.relative_to(root).as_posix()
        inside = any(name == w or name.startswith(w.rstrip("/") + "/") for w in wanted)
        if (inside or not wanted) and not ELSEWHERE.match(name):
            yield name


def run_file(name: str, limit: int, extra: list[str]) -> dict[str, list[str]]:
    """Runs a file of tests in a fork of this process; returns each test's outcome."""
    with tempfile.TemporaryDirectory() as folder:
        outcomes, said = Path(folder) / "outcomes", Path(folder) / "said"
        outcomes.touch()
        child = os.fork()
        if not child:
            _be_pytest(name, Path(folder), said, outcomes, extra)
        end = time.monotonic() + limit
        done, status = os.waitpid(child, os.WNOHANG)
        while not done and time.monotonic() < end:
            time.sleep(0.05)
            done, status = os.waitpid(child, os.WNOHANG)
        results: dict[str, list[str]] = {}
        if not done:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            results["(file)"] = ["timeout", f"the file took longer than {limit} s"]
        elif os.waitstatus_to_exitcode(status) not in {0, 1, 2, 5}:
            results["(file)"] = ["crashed", said.read_text(errors="replace")[-600:]]
        for line in outcomes.read_text().splitlines():
            test, outcome, reason, when = json.loads(line)
            test = ADDRESS.sub("", test.partition("::")[2] or test)
            if when == "call" or results.get(test, ["passed"])[0] == "passed":
                results[test] = [outcome, reason]
    return results


def _be_pytest(name: str, folder: Path, said: Path, outcomes: Path, extra: list[str]) -> NoReturn:
    """Runs pytest in the fork, with its own home directory, session and output."""
    os.setsid()
    output = os.open(said, os.O_WRONLY | os.O_CREAT)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.environ |= {OUTCOMES: str(outcomes), "KERAS_HOME": str(folder / "home")}
    os.chdir(folder)
    status = 3
    try:
        root = keras_sources()
        options = ["-q", "-c", os.devnull, "--rootdir", str(root), "-p", "no:cacheprovider"]
        options += ["-W", "ignore", "--basetemp", str(folder / "temp"), *extra, str(root / name)]
        pytest = importlib.import_module("pytest")
        status = int(pytest.main(options, plugins=[sys.modules[__name__]]))
    except BaseException:  # noqa: BLE001 (the fork must end here)
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def load(gradtape: bool) -> None:
    """Imports Keras once, before all forks."""
    os.environ |= {"KERAS_BACKEND": "tensorflow", "OPENBLAS_NUM_THREADS": "1"}
    os.environ |= {"CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3"}
    if gradtape:
        importlib.import_module("gradtape").install()
    for name in ("pytest", "keras", "absl.testing.parameterized"):
        importlib.import_module(name)
    for name in ASIDE:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def run(options: argparse.Namespace) -> None:
    """Runs files, and stores the outcomes."""
    out: Path = options.out
    results: Results = json.loads(out.read_text()) if out.exists() else {}
    names = [n for n in test_files(options.files) if not (options.missing and n in results)]

    extra = options.pytest or []
    load(options.gradtape)
    for name in names:
        found = run_file(name, options.limit, extra)
        results[name] = results.get(name, {}) | found if extra else found
        partial = out.with_suffix(".part")
        partial.write_text(json.dumps(results, indent=0, sort_keys=True))
        partial.replace(out)
        print(name, dict(Counter(outcome for outcome, _ in found.values())), flush=True)


def folder_of(name: str) -> str:
    """Returns the row of the table that a file belongs to."""
    return name.partition("/")[0]


def compare(options: argparse.Namespace) -> None:
    """Prints or writes into a document the tests that pass, by folder, and each failure."""
    judge: Results = json.loads(options.judge.read_text())
    ours: Results = json.loads(options.ours.read_text())
    there: Counter[str] = Counter()
    both: Counter[str] = Counter()
    failures: list[str] = []
    for name in sorted(judge):
        for test, (outcome, _) in sorted(judge[name].items()):
            if outcome != "passed":
                continue
            there[folder_of(name)] += 1
            found, reason = ours.get(name, {}).get(test, ["not run", ""])
            if found == "passed":
                both[folder_of(name)] += 1
            else:
                said = next(iter(reason.strip().splitlines()), "")
                failures.append(f"{name}::{test}: {found}: {said[:200]}")
    rows = ["| Folder | Pass on TensorFlow | Also on gradtape | Share |", "|---|---:|---:|---:|"]
    for folder in sorted(there):
        a, b = there[folder], both[folder]
        rows.append(f"| {folder} | {a} | {b} | {b / a:.1%} |")
    a, b = sum(there.values()), sum(both.values())
    rows.append(f"| **all** | {a} | {b} | {b / max(a, 1):.1%} |")
    table = "\n".join(rows)
    if options.table is None:
        print("\n".join(failures))
        print(table)
        return
    text = options.table.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    options.table.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}")


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(required=True)
    runner = commands.add_parser("run", help="run tests and keep the outcomes")
    runner.add_argument("out", type=Path, metavar="OUT.json")
    runner.add_argument("files", nargs="*", metavar="FOLDER_OR_FILE")
    runner.add_argument("--gradtape", action="store_true", help="gradtape is the TensorFlow")
    runner.add_argument("--limit", type=int, default=TIME_LIMIT, help="seconds for one file")
    runner.add_argument("--missing", action="store_true", help="only files not in OUT.json")
    runner.add_argument("--pytest", action="append", help="one more argument of pytest")
    runner.set_defaults(call=run)
    judge = commands.add_parser("compare", help="compare the outcomes")
    judge.add_argument("judge", type=Path, metavar="TENSORFLOW.json")
    judge.add_argument("ours", type=Path, metavar="GRADTAPE.json")
    judge.add_argument("--table", type=Path, help="a document to put the table into")
    judge.set_defaults(call=compare)
    options = parser.parse_args()
    options.call(options)


if __name__ == "__main__":
    main()
