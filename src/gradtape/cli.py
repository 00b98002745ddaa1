"""The command line: `gradtape run`, `doctor`, `show` and `run-model`."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from gradtape._src.cli import doctor, pipes
from gradtape._src.cli.model_runs import ModelRun, run_model
from gradtape._src.cli.program import CommandError
from gradtape._src.cli.run import RunOptions, run
from gradtape._src.cli.saved_models import show
from gradtape._version import __version__

USAGE_ERROR = 2

_RUN_HELP = """\
Run a TensorFlow program, unchanged, with gradtape answering to the name `tensorflow`.

A script runs as `python FILE` would run it. A notebook's code cells run in order, in the
notebook's directory; the value of a cell's last expression is printed, lines for IPython
(%magic, !command) are skipped with a note.

The exit status is the program's own: 1 if it raised an error, 2 if FILE is no program, and 141 if
nobody reads what it prints, as in `gradtape run FILE | head`.
"""

_DOCTOR_HELP = """\
List the tf names that programs use, and whether gradtape has them, without running anything.

A name that gradtape lacks is "not yet" there, or "not a TensorFlow name" (of TensorFlow 2.21 or
Keras 3), with the nearest ones. After the names come the traps: lines that do not do what they
seem to, such as a gradient by a constant that no tape watches.

The exit status is 0 if gradtape has all names, 1 if some are lacking, and 2 if a FILE is no
program. Traps do not change it.
"""


_SHOW_HELP = """\
Print what a saved model takes and gives, without running anything of it.

For each graph of the model come its tags, its signatures, with the dtype, the shape and the name
of each tensor, and the functions of its objects with the calls that they were saved for. Models may
be TensorFlow's or gradtape's.

The exit status is 0, or 2 if DIR holds no saved model or a damaged one.
"""

_RUN_MODEL_HELP = """\
Call a signature of a saved model on arrays, and print or save what it gives.

Arrays are read from .npy files; numbers are converted to the dtype of the input where they keep
their kind. `gradtape show DIR` prints the signatures with their inputs. Running a model runs what
its author wrote: take models from those whom you trust.

The exit status is 0, or 2 if a file can't be read or written, the model can't be loaded or run, or
the inputs are not those of the signature. Then one line says why, and nothing is written.
"""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gradtape", description="TensorFlow's GradientTape on NumPy."
    )
    parser.add_argument("--version", action="version", version=f"gradtape {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    keep = argparse.RawDescriptionHelpFormatter

    runner = commands.add_parser(
        "run",
        help="run a TensorFlow program",
        description=_RUN_HELP,
        formatter_class=keep,
        usage="gradtape run [-h] [-q] [--jit] [--save-figures DIR] FILE [ARG ...]",
    )
    runner.add_argument(
        "-q", "--quiet", action="store_true", help="no progress and notes on standard error"
    )
    runner.add_argument(
        "--jit",
        action="store_true",
        help="compile functions with XLA where that can be: tf.config.optimizer.set_jit(True)",
    )
    runner.add_argument(
        "--save-figures",
        metavar="DIR",
        type=Path,
        help="save every matplotlib figure in DIR (also understood right after FILE)",
    )
    runner.add_argument("file", metavar="FILE", help="a .py or .ipynb file")
    runner.add_argument(
        "args", metavar="ARG", nargs=argparse.REMAINDER, help="arguments of the program"
    )

    checker = commands.add_parser(
        "doctor",
        help="say which tf names of a program gradtape has",
        description=_DOCTOR_HELP,
        formatter_class=keep,
    )
    checker.add_argument("--json", action="store_true", help="print the findings as JSON")
    checker.add_argument("files", metavar="FILE", nargs="+", help="a .py or .ipynb file")

    shower = commands.add_parser(
        "show",
        help="print the signatures and functions of a saved model",
        description=_SHOW_HELP,
        formatter_class=keep,
    )
    shower.add_argument("directory", metavar="DIR", type=Path, help="the model's directory")

    caller = commands.add_parser(
        "run-model",
        help="call a signature of a saved model",
        description=_RUN_MODEL_HELP,
        formatter_class=keep,
    )
    caller.add_argument("directory", metavar="DIR", type=Path, help="the model's directory")
    caller.add_argument(
        "--input",
        metavar="NAME=FILE",
        action="append",
        default=[],
        help="an input of the signature, and the .npy file of its array; once for each input",
    )
    caller.add_argument(
        "--signature", metavar="NAME", default="serving_default", help="serving_default by default"
    )
    caller.add_argument(
        "--output", metavar="FILE", type=Path, help="an .npz file for the results; else printed"
    )
    return parser


def _run(options: argparse.Namespace) -> int:
    args = options.args
    if args[:1] == ["--save-figures"] and len(args) > 1:
        options.save_figures, args = Path(args[1]), args[2:]
    return run(options.file, args, RunOptions(options.save_figures, options.quiet, options.jit))


def _doctor(options: argparse.Namespace) -> int:
    findings = {name: doctor.examine(name) for name in options.files}
    if options.json:
        print(json.dumps([doctor.as_json(*item) for item in findings.items()], indent=2))
    else:
        console = pipes.Printer(highlight=False)
        for name, found in findings.items():
            doctor.print_table(console, name, found)
    return int(any(use.lacking for found in findings.values() for use in found.uses))


def _show(options: argparse.Namespace) -> int:
    return show(options.directory)


def _run_model(options: argparse.Namespace) -> int:
    return run_model(ModelRun(options.directory, options.input, options.signature, options.output))


COMMANDS = {"run": _run, "doctor": _doctor, "show": _show, "run-model": _run_model}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Args:
        argv: The arguments; those of the process if None.

    Returns:
        The exit status.
    """
    options = _parser().parse_args(argv)
    try:
        try:
            return COMMANDS[options.command](options)
        except CommandError as error:
            print(f"gradtape: {error}", file=sys.stderr)
            return USAGE_ERROR
        finally:
            pipes.flush()
    except BrokenPipeError:
        if not pipes.reader_has_gone():
            raise
        pipes.discard_output()
        return pipes.BROKEN_PIPE
