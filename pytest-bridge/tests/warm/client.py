"""The programs `python` and `pytest` of a folder of sockets, after a line with the interpreter. It imports little."""

import os
import sys
import time
from _socket import AF_UNIX, SCM_RIGHTS, SOCK_STREAM, SOL_SOCKET, socket


def is_ours(args):
    """Whether a server can do this: pytest, in an environment that Python reads nothing else from."""
    known = ("PYTHONPATH", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
    if any(name.startswith("PYTHON") and name not in known for name in os.environ):
        return False
    return args[:1] == ["-mpytest"] or args[:2] == ["-m", "pytest"]


def connected(path):
    """Return a connection to a server, which may not have imported everything yet; None if there is no such server."""
    for _ in range(6000):
        connection = socket(AF_UNIX, SOCK_STREAM)
        try:
            connection.connect(path)
        except OSError:
            connection.close()
            if not os.path.exists(path + ".starting") and not os.path.exists(path):
                return None
            time.sleep(0.01)
        else:
            return connection
    return None


def ask(connection, args):
    """Let a server run pytest, and return its exit code."""
    words = [os.getcwd(), str(len(args)), *args, *(f"{name}={value}" for name, value in os.environ.items())]
    text = "\0".join(words).encode("utf-8", "surrogateescape")
    streams = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2))
    connection.sendmsg([len(text).to_bytes(8, "big")], [(SOL_SOCKET, SCM_RIGHTS, streams)])
    connection.sendall(text)
    answer = connection.recv(8)
    return int.from_bytes(answer, "big", signed=True) if answer else 1


folder, name = os.path.split(os.path.abspath(sys.argv[0]))
arguments = ["-m", "pytest", *sys.argv[1:]] if name == "pytest" else sys.argv[1:]
if is_ours(arguments):
    server = connected(f"{folder}/{os.environ.get('PYTHONHASHSEED', 'random')}")
    if server is not None:
        code = ask(server, arguments[1:] if arguments[0] == "-mpytest" else arguments[2:])
        if code < 0:
            os.kill(os.getpid(), -code)
        os._exit(code)
os.execv(sys.executable, [sys.executable, *arguments])
