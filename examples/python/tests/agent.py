"""A small agent and the service that it asks: a socket server on this machine, whose network fails at times.

The agent looks for a number by asking whether it is larger than another. The service answers wrongly now and then, as
tools do; an agent that asks once believes it. Apart from that, connections break: they are reset, or nothing comes.
"""

from __future__ import annotations

import random
import socket
import socketserver
import struct
import time

WRONG = 0.02
"""How often an answer is wrong."""
RESET, SILENT = 0.04, 0.01
"""How often a connection is reset, and how often nothing comes of it."""
PATIENCE = 0.25
"""Seconds that an agent waits for an answer."""


class Service(socketserver.StreamRequestHandler):
    """Thinks of a number from 0 to 255 for each task, and answers questions about it."""

    def handle(self) -> None:
        """Answer the questions of one agent. What goes wrong follows the seed of its task."""
        chance = random.Random(int(self.rfile.readline()))
        number = chance.randrange(256)
        # Whether the network fails is drawn by itself: it does not depend on how hard the task is.
        network = random.Random(chance.getrandbits(64))
        fault, at = network.random(), network.randrange(8)
        for asked, line in enumerate(self.rfile):
            if asked == at and fault < RESET:
                # Without lingering, closing resets.
                self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return
            if asked == at and fault < RESET + SILENT:
                time.sleep(2 * PATIENCE)
                return
            is_larger = number > int(line)
            self.wfile.write(b"no\n" if is_larger == (chance.random() < WRONG) else b"yes\n")


class Server(socketserver.ThreadingTCPServer):
    """The service, on a port of its own."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Service)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of connections that break: that is what they are for."""


def solves(server: Server, seed: int, times: int) -> bool:
    """Whether an agent finds the number of a task that asks every question so many times, and believes the majority.

    Raises an `OSError` if the connection breaks.
    """
    with socket.create_connection(server.server_address[:2], PATIENCE) as connection:
        stream = connection.makefile("rwb")
        stream.write(b"%d\n" % seed)
        low, high = 0, 255
        while low < high:
            middle = (low + high) // 2
            answers = [_asked(stream, middle) for _ in range(times)]
            if 2 * sum(answers) > times:
                low = middle + 1
            else:
                high = middle
        return low == random.Random(seed).randrange(256)


def _asked(stream: socket.SocketIO, middle: int) -> bool:
    """Ask whether the number is larger."""
    stream.write(b"%d\n" % middle)
    stream.flush()
    answer = stream.readline()
    if not answer:
        raise ConnectionResetError("the service hung up")
    return answer == b"yes\n"
