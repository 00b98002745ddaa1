"""Ports for servers of tests."""

import socket
import sys

_kept = []


def free_port():
    """Returns a port that the system gives to no other socket while this process runs.

    On Linux a socket keeps it that is bound and does not listen: who asks for this very port gets
    it nevertheless, if its socket may reuse addresses.
    """
    s = socket.socket()
    if sys.platform == "linux":
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        _kept.append(s)
    s.bind(("127.0.0.1", 0))
    port = s.getsockname()[1]
    if s not in _kept:
        s.close()
    return port
