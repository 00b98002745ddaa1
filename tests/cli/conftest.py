"""Programs to run, and a `gradtape` to run them with."""

import json
import os
import subprocess
import sys

import pytest


@pytest.fixture
def script(tmp_path):
    """Writes a script; returns its path."""

    def write(text, name="program.py"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.fixture
def notebook(tmp_path):
    """Writes a notebook with the given code cells; returns its path."""

    def write(*sources, language="python"):
        cells = [{"cell_type": "markdown", "metadata": {}, "source": "# Title"}]
        cells += [
            {
                "cell_type": "code",
                "execution_count": None,
                "metadata": {},
                "outputs": [],
                "source": source.splitlines(keepends=True),
            }
            for source in sources
        ]
        document = {
            "cells": cells,
            "metadata": {"kernelspec": {"language": language}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        path = tmp_path / "book.ipynb"
        path.write_text(json.dumps(document))
        return path

    return write


@pytest.fixture
def gradtape(tmp_path):
    """Runs the command line in a process of its own, in an empty directory."""

    def call(*args):
        command = [sys.executable, "-m", "gradtape", *map(str, args)]
        environment = {**os.environ, "COLUMNS": "200"}
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    return call
