"""The descriptors are those of the .proto texts."""

import importlib
import sys
from pathlib import Path

import pytest

pytest.importorskip("grpc_tools")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def compiler(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("compile_messages")


def test_descriptors_and_types_are_up_to_date(compiler, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["compile_messages.py", "--check"])
    assert compiler.main() == 0


def test_a_changed_text_is_found(compiler, monkeypatch, tmp_path, capsys):
    room = tmp_path / "gradtape" / "_src" / "messages"
    room.mkdir(parents=True)
    text = 'syntax = "proto3"; package tensorflow; message Small { repeated int64 value = 1; }'
    (room / "small.proto").write_text(text)
    monkeypatch.setattr(compiler, "SOURCE", tmp_path)
    monkeypatch.setattr(compiler, "ROOM", room)
    monkeypatch.setattr(sys, "argv", ["compile_messages.py"])
    assert compiler.main() == 0
    assert "class Small(Message):" in (room / "protos.pyi").read_text()
    (room / "small.proto").write_text(text.replace("value", "values"))
    monkeypatch.setattr(sys, "argv", ["compile_messages.py", "--check"])
    assert compiler.main() == 1
    assert "descriptors.binpb is out of date" in capsys.readouterr().err
