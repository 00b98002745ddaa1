"""Messages whose fields are known by their numbers."""

import pytest

from gradtape._src.saving import wire
from gradtape._src.saving.wire import Message, WireError, field


def test_fields_by_number():
    data = field(1, 300) + field(2, "é") + field(3, b"x") + field(3, b"y") + wire.fixed32(5, 7)
    message = Message(data)
    assert message.number(1) == 300
    assert message.text(2) == "é"
    assert message.all_data(3) == [b"x", b"y"]
    assert message.data(3) == b"y"
    assert message.number(5) == 7
    assert 1 in message
    assert 4 not in message


def test_defaults():
    empty = Message(b"")
    assert (empty.number(1), empty.number(1, 8), empty.data(1), empty.text(1)) == (0, 8, b"", "")
    assert empty.texts(1) == empty.messages(1) == []
    assert empty.message(1).number(2) == 0
    assert field(1, 0) == field(1, "") == field(1, None) == b""
    assert wire.present(1, b"") != b""


def test_messages_within_messages():
    message = Message(field(1, field(2, 5)) + field(1, field(2, 6)))
    assert [m.number(2) for m in message.messages(1)] == [5, 6]
    assert message.message(1).number(2) == 6


def test_negative_numbers():
    assert Message(field(1, -3)).number(1) == -3


@pytest.mark.parametrize(
    "read",
    [
        lambda: Message(b"\x08"),
        lambda: Message(field(1, b"\xff\xfe")).text(1),
        lambda: Message(field(1, b"abc")).number(1),
        lambda: Message(field(1, 3)).data(1),
        lambda: wire.as_text(b"\xff"),
    ],
)
def test_what_is_no_message(read):
    with pytest.raises(WireError):
        read()
