"""Peers that lie: messages to worker 0's port from a sender that is not a worker of the run.

Each takes the port and the addresses of the run and does its worst. What it keeps open is closed by
`close_all`, when a test is over.
"""

import json
import random
import socket

NUMBERS = random.Random(7)
_open = []


def connected(port):
    peer = socket.create_connection(("127.0.0.1", port), timeout=60)
    _open.append(peer)
    return peer


def close_all():
    while _open:
        _open.pop().close()


def line(peer):
    """The next line that comes."""
    got = b""
    while not got.endswith(b"\n") and (byte := peer.recv(1)):
        got += byte
    return json.loads(got) if got else None


def said(*lines, ends=False):
    """A peer that sends bytes, and may go away in the middle of them."""

    def peer(port, addresses):
        connection = connected(port)
        for each in lines:
            try:
                connection.sendall(each)
            except OSError:  # it has been dropped already, as it should be
                break
        if ends:
            connection.close()

    return peer


def hello(place, addresses=None, proof="", nonce="n", more=()):
    """A peer that greets, truly or not, and then sends something else."""

    def peer(port, workers):
        connection = connected(port)
        line(connection)  # the challenge
        message = [
            "hello",
            place,
            workers if addresses is None else addresses,
            nonce,
            proof,
        ]
        connection.sendall(json.dumps(message).encode() + b"\n")
        for each in more:
            connection.sendall(each)

    return peer


def replayed(port, addresses):
    """Sends back what it was sent as a proof."""
    connection = connected(port)
    challenge = line(connection)[1]
    message = ["hello", 1, addresses, challenge, challenge]
    connection.sendall(json.dumps(message).encode() + b"\n")


def many(port, addresses):
    """More silent connections than are kept."""
    for _ in range(80):
        connected(port)


STRANGERS = {
    "deep JSON": said(b"[" * 60_000 + b"\n"),
    "deep JSON without an end": said(b"[" * 200_000),
    "no JSON": said(b"GET / HTTP/1.1\r\n\r\n"),
    "noise": said(NUMBERS.randbytes(5000) + b"\n" + NUMBERS.randbytes(5000)),
    "no UTF-8": said(b'["hello", "\xff\xfe"]\n'),
    "halves of characters": hello(1, ["\ud800"], proof="\udfff"),
    "no list": said(b"7\n", b"{}\n", b"null\n", b"[]\n", b"[[]]\n", b'[{"a": 1}]\n'),
    "a kind that is private": said(b'["hello__"]\n', b'["__init__", 1]\n', b'["drop", 0]\n'),
    "a giant number": said(b'["hello", ' + b"9" * 50_000 + b"]\n"),
    "a giant line": said(b'["hello", 1, ["' + b"a" * 1_000_000 + b'"], "", ""]\n'),
    "a worker's word": said(b'["ask", 1, 1, "a"]\n', b'["bye", 9, true]\n'),
    "the first worker's word": said(b'["agreed", 9]\n', b'["clash", "x"]\n'),
    "no hello but half of one": said(b'["hello", 1, ["a'),
    "gone in the middle": said(b'["hello", 1, ["a', ends=True),
    "gone at once": said(ends=True),
    "nothing ever": said(),
    "place out of range": hello(99),
    "place below": hello(-1),
    "worker 0 itself": hello(0),
    "place that is no number": hello("1"),
    "place that is a truth value": hello(True),
    "place that is a float": hello(1.0),
    "other addresses": hello(1, ["x:1", "y:2", "z:3"]),
    "addresses that are none": hello(1, 5),
    "too many parts": said(b'["hello", 1, [], "", "", 1, 2, 3]\n'),
    "many": many,
}
"""Those who never become workers, with or without a secret."""

IMPOSTORS = {
    "no proof": hello(1),
    "a wrong proof": hello(1, proof="0" * 64),
    "a proof that is no ASCII": hello(1, proof="é" * 64),
    "replayed": replayed,
}
"""Those whom a secret keeps out."""

LIARS = {
    "deep JSON": b"[" * 200_000 + b"\n",
    "no JSON": b"\x00\x01\n",
    "a giant line": b"a" * (1 << 21),
    "another role's word": b'["agreed", 99]\n',
    "a loss of others": b'["lost", 0, "is gone", null]\n',
    "a place that is none": b'["lost", 99, "is gone", null]\n',
    "a call that is none": b'["ask", "1", 1, "a"]\n',
    "a negative call": b'["bye", -1, false]\n',
    "many meeting points": b"".join(b'["here", "%d"]\n' % i for i in range(100)),
}
"""Messages that a process may send after it was accepted as a worker."""
