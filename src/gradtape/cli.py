"""The command line: `gradtape run`, `launch`, `doctor`, `show`, `run-model` and `help`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from gradtape._src.cli import pipes
from gradtape._src.cli.codes import FORMATS
from gradtape._src.cli.notebooks.execution import NotebookOptions
from gradtape._src.cli.program import CommandError, ProgramError
from gradtape._version import __version__

USAGE_ERROR = 2

_RUN_HELP = """\
Run a TensorFlow program, unchanged, with gradtape answering to the name `tensorflow`.

A script runs as `python FILE` would run it. A notebook's code cells run in order, in the
notebook's directory; the value of a cell's last expression is printed, lines for IPython
(%magic, !command) are skipped with a note.

With -o, IPython itself runs the cells, and OUT.ipynb is the notebook with their outputs and
figures, as Jupyter would have written it; a cell with the tag `raises-exception` may fail.
`gradtape run NOTEBOOK -o OUT.ipynb` needs `pip install 'gradtape[notebook]'`.

The exit status is the program's own: 1 if it raised an error, 2 if FILE is no program, and 141 if
nobody reads what it prints, as in `gradtape run FILE | head`.
"""

_LAUNCH_HELP = """\
Run a program that makes a MultiWorkerMirroredStrategy in several processes of this machine.

Each worker gets its TF_CONFIG, free ports and a common secret, and runs FILE as `gradtape run` does.
What a worker prints is passed on with its number in front, like [0].

When a worker is lost, the others are ended, and with --restarts all are started again: the program
then goes on from its last checkpoint, if it saves and restores one. GRADTAPE_RESTARTS in the
environment is the number of restarts before.

The exit status is 0 if all workers end with 0, that of the worker that was lost first otherwise
(128 and the number of the signal that ended it), and 2 for wrong arguments.
"""

_DOCTOR_HELP = """\
Say what of TensorFlow programs gradtape lacks, and which lines do not do what they seem to, without
running anything.

A name that gradtape lacks is "not yet" there, "left out" for a reason, or "not a TensorFlow name"
(of TensorFlow 2.21 or Keras 3), with the nearest ones. Methods and arguments that are lacking come
after the names, and the traps: lines that do not do what they seem to, such as a gradient with
respect to a constant that no tape watches. Each kind has a code, which docs/trouble/doctor.md
explains; a line with the comment `# noqa: CODE` is left out.

The exit status is 0 if nothing is lacking, 1 if something is, and 2 if a PATH is not a program. Traps
change it with --strict.
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

_HELP_HELP = """\
Explain a frequent error, with a program that raises it and how to mend it.

The line below an error that ends a program names the topic. Without a TOPIC, all are listed.
"""


class _Parser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong with the arguments."""

    def error(self, message: str) -> NoReturn:
        """Ends the program with the exit status 2."""
        self.exit(USAGE_ERROR, f"{self.prog}: {message} (see `{self.prog} --help`)\n")


def _parser() -> _Parser:
    parser = _Parser(prog="gradtape", description="TensorFlow's GradientTape on NumPy.")
    parser.add_argument("--version", action="version", version=f"gradtape {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    keep = argparse.RawDescriptionHelpFormatter

    runner = commands.add_parser(
        "run",
        help="run a TensorFlow program",
        description=_RUN_HELP,
        formatter_class=keep,
        usage="gradtape run [-h] [-q] [--jit] [--profile OUT] [--save-figures DIR] FILE [ARG ...]\n"
        "       gradtape run [-q] [--jit] NOTEBOOK -o OUT.ipynb [--allow-errors] [--allow-shell]",
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
        "--profile",
        metavar="OUT",
        type=Path,
        help="write where the time goes: OUT is an .html page, a .json trace for Perfetto, or .txt",
    )
    runner.add_argument(
        "--save-figures",
        metavar="DIR",
        type=Path,
        help="save every matplotlib figure in DIR (also understood right after FILE)",
    )
    _add_notebook_options(runner)
    runner.add_argument("file", metavar="FILE", help="a .py or .ipynb file")
    _add_program_arguments(runner)

    launcher = commands.add_parser(
        "launch",
        help="run a program in several worker processes",
        description=_LAUNCH_HELP,
        formatter_class=keep,
        usage="gradtape launch [-h] [-n WORKERS] [--restarts R] [--grace S] [-q] FILE [ARG ...]",
    )
    launcher.add_argument(
        "-n", "--workers", type=int, default=2, help="the number of processes; 2 by default"
    )
    launcher.add_argument(
        "--restarts",
        metavar="R",
        type=int,
        default=0,
        help="how often all workers are started again after one was lost; 0 by default",
    )
    launcher.add_argument(
        "--grace",
        metavar="S",
        type=float,
        default=10.0,
        help="seconds until the others are ended after one was lost; 10 by default",
    )
    launcher.add_argument(
        "-q", "--quiet", action="store_true", help="print only what the workers print"
    )
    launcher.add_argument("file", metavar="FILE", help="a .py file")
    _add_program_arguments(launcher)

    checker = commands.add_parser(
        "doctor",
        help="say which tf names of a program gradtape has",
        description=_DOCTOR_HELP,
        formatter_class=keep,
    )
    checker.add_argument(
        "--format",
        choices=FORMATS,
        default="full",
        help="tables, a line for each finding, JSON, annotations for GitHub, or SARIF",
    )
    checker.add_argument(
        "--json", action="store_const", const="json", dest="format", help="like --format json"
    )
    checker.add_argument(
        "--strict", action="store_true", help="exit with 1 if there are traps, too"
    )
    checker.add_argument(
        "files", metavar="PATH", nargs="+", help="a .py or .ipynb file, or a folder of them"
    )

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

    helper = commands.add_parser(
        "help",
        help="explain an error",
        description=_HELP_HELP,
        formatter_class=keep,
    )
    helper.add_argument(
        "words", metavar="TOPIC", nargs="*", help="a topic, or the beginning of an error's message"
    )
    return parser


def _add_program_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments behind the file's name, of which there may be none."""
    rest = parser.add_argument(
        "args", metavar="ARG", nargs=argparse.REMAINDER, help="arguments of the program"
    )
    rest.required = False  # Python 3.11 names it among those that are missing


def _add_notebook_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options of notebooks, which may stand before or behind the file's name."""
    parser.add_argument(
        "-o", "--output", metavar="OUT", type=Path, help="write the notebook with its outputs"
    )
    parser.add_argument(
        "--allow-errors", action="store_true", help="with -o: go on after a cell that fails"
    )
    parser.add_argument(
        "--allow-shell",
        action="store_true",
        help="with -o: run !commands and scripts in other languages, which are skipped otherwise",
    )


def _notebook_options(options: argparse.Namespace) -> NotebookOptions | None:
    """Takes the options that stand behind a notebook's name out of its arguments."""
    if options.file.endswith(".ipynb"):
        behind = _Parser(prog="gradtape run", add_help=False, allow_abbrev=False)
        _add_notebook_options(behind)
        _, options.args = behind.parse_known_args(options.args, options)
    if options.output is None:
        if options.allow_errors or options.allow_shell:
            raise CommandError("--allow-errors and --allow-shell need -o OUT.ipynb")
        return None
    return NotebookOptions(options.output.absolute(), options.allow_errors, options.allow_shell)


def _run(options: argparse.Namespace) -> int:
    from gradtape._src.cli.run import RunOptions, run

    notebook = _notebook_options(options)
    args = options.args
    if args[:1] == ["--save-figures"] and len(args) > 1:
        options.save_figures, args = Path(args[1]), args[2:]
    chosen = RunOptions(options.save_figures, options.quiet, options.jit, notebook, options.profile)
    return run(options.file, args, chosen)


def _launch(options: argparse.Namespace) -> int:
    from gradtape._src.cli.launch import Launch, launch

    return launch(
        Launch(
            options.file,
            options.args,
            options.workers,
            options.restarts,
            options.grace,
            options.quiet,
        )
    )


def _doctor(options: argparse.Namespace) -> int:
    from gradtape._src.cli import doctor
    from gradtape._src.cli.program_files import program_files, with_progress
    from gradtape._src.cli.reports import Report

    report = Report()
    for name in with_progress(program_files(options.files)):
        try:
            report.files[name] = doctor.examine(name)
        except ProgramError as error:
            report.unread[name] = str(error)
    report.show(pipes.Printer(highlight=False), options.format)
    pipes.flush()
    for text in report.unread.values():
        print(f"gradtape: {text}", file=sys.stderr)
    if report.unread:
        return USAGE_ERROR
    return int(report.lacking or (options.strict and not report.flawless))


def _show(options: argparse.Namespace) -> int:
    from gradtape._src.cli.saved_models import show

    return show(options.directory)


def _run_model(options: argparse.Namespace) -> int:
    from gradtape._src.cli.model_runs import ModelRun, run_model

    return run_model(ModelRun(options.directory, options.input, options.signature, options.output))


def _help(options: argparse.Namespace) -> int:
    from gradtape._src.cli.help_pages import show_help

    return show_help(" ".join(options.words))


COMMANDS = {
    "help": _help,
    "run": _run,
    "launch": _launch,
    "doctor": _doctor,
    "show": _show,
    "run-model": _run_model,
}


def _parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """Returns the options; ends the program if there are too many or too few."""
    parser = _parser()
    options, extra = parser.parse_known_args(argv)
    if options.command is not None:
        parser.prog += f" {options.command}"
    if extra:
        parser.error(f"unrecognized arguments: {' '.join(extra)}")
    if options.command is None:
        parser.error(f"a command is missing: {', '.join(COMMANDS)}")
    return options


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Args:
        argv: The arguments; those of the process if None.

    Returns:
        The exit status.
    """
    options = _parsed(argv)
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
