"""Flaky tests by what makes them so, for `test_probes.py`: the class says the cause. How they end does not matter."""

import asyncio
import concurrent.futures
import datetime
import email.utils
import http.client
import multiprocessing
import os
import pathlib
import queue
import random
import secrets
import select
import selectors
import signal
import socket
import sqlite3
import subprocess
import threading
import time
import uuid
from time import monotonic as now

import job
import numpy as np
import pytest

SHARED = random.Random(1)
SHARED_GENERATOR = np.random.default_rng(1)
SHARED_LEGACY = np.random.RandomState(1)
POOL = concurrent.futures.ThreadPoolExecutor(1)
POOL.submit(int).result()
TAKEN = threading.Lock()
TAKEN.acquire()
TAKEN_BY_ANOTHER_THREAD = threading.RLock()
POOL.submit(TAKEN_BY_ANOTHER_THREAD.acquire).result()


class Stamp(datetime.datetime):
    pass


@pytest.fixture(scope="module")
def wide_generator():
    return np.random.default_rng(3)


@pytest.fixture
def timed():
    yield 1
    time.time()


class TestRandomness:
    def test_uuid4(self):
        assert uuid.uuid4().int % 10 < 9

    def test_uuid1(self):
        assert uuid.uuid1().clock_seq % 10 < 9

    def test_secrets(self):
        assert secrets.randbelow(10) < 9

    def test_token(self):
        assert secrets.token_hex(4) < "f"

    def test_operating_system(self):
        assert os.urandom(1) < b"\xf0"

    def test_device(self):
        with open("/dev/urandom", "rb") as device:
            assert device.read(1) < b"\xf0"

    def test_system_random(self):
        assert random.SystemRandom().random() < 0.9

    def test_generator_of_the_module(self):
        assert SHARED.gauss(0, 1) < 1

    def test_numpy_generator_of_the_module(self):
        assert SHARED_GENERATOR.normal() < 1

    def test_legacy_generator_of_the_module(self):
        assert SHARED_LEGACY.rand() < 0.9

    def test_generator_of_a_wider_fixture(self, wide_generator):
        assert wide_generator.random() < 0.9


class TestTime:
    def test_wall_clock(self):
        assert time.time() % 1 < 0.9

    def test_imported_by_name(self):
        assert now() % 1 < 0.9

    def test_date_and_time(self):
        assert datetime.datetime.now().microsecond < 900_000

    def test_subclass(self):
        assert Stamp.now(datetime.timezone.utc).microsecond < 900_000

    def test_today(self):
        assert datetime.date.today().day < 28

    def test_converted(self):
        assert time.localtime().tm_sec < 50

    def test_formatted(self):
        assert time.strftime("%S") < "50"

    def test_elapsed(self):
        start = time.perf_counter_ns()
        assert time.perf_counter_ns() - start < 10_000

    def test_library(self):
        assert email.utils.formatdate()

    def test_other_module(self):
        assert job.is_early()

    def test_torn_down(self, timed):
        assert timed


class TestConcurrency:
    def test_thread(self):
        found = []
        thread = threading.Thread(target=found.append, args=(1,))
        thread.start()
        assert found

    def test_timer(self):
        done = threading.Event()
        timer = threading.Timer(0.001, done.set)
        timer.start()
        assert done.wait(0.001)

    def test_pool(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            assert list(pool.map(abs, [-1, 2])) == [1, 2]

    def test_pool_of_the_module(self):
        assert POOL.submit(sum, range(20_000)).result() > 0

    def test_process(self):
        assert subprocess.run(["true"], check=False).returncode == 0

    def test_shell(self):
        assert os.system("true") == 0

    def test_fork(self):
        child = os.fork()
        if child == 0:
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0

    def test_multiprocessing(self):
        process = multiprocessing.get_context("fork").Process(target=int)
        process.start()
        process.join()
        assert process.exitcode == 0

    def test_lock(self):
        assert not TAKEN.acquire(timeout=0.001)

    def test_reentrant_lock(self):
        assert not TAKEN_BY_ANOTHER_THREAD.acquire(timeout=0.001)

    def test_queue(self):
        items = queue.SimpleQueue()
        threading.Thread(target=items.put, args=(1,)).start()
        assert items.get() == 1


class TestAsyncWait:
    def test_sleep(self):
        time.sleep(0.001)

    def test_event_loop(self):
        async def main():
            await asyncio.sleep(0.001)

        asyncio.run(main())

    def test_timeout(self):
        async def main():
            await asyncio.wait_for(asyncio.sleep(0.001), 0.01)

        asyncio.run(main())

    def test_select(self):
        assert select.select([], [], [], 0.001) == ([], [], [])

    def test_selector(self):
        with selectors.DefaultSelector() as selector:
            assert selector.select(0.001) == []

    def test_alarm(self):
        signal.setitimer(signal.ITIMER_REAL, 0)


class TestNetwork:
    def test_socket(self):
        socket.socket().close()

    def test_server(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            assert server.getsockname()[1] % 10 < 9

    def test_connection(self):
        with pytest.raises(OSError, match="refused"):
            socket.create_connection(("127.0.0.1", 1), timeout=1)

    def test_name(self):
        assert socket.getaddrinfo("localhost", 80)

    def test_host_name(self):
        assert socket.gethostname()

    def test_http(self):
        with pytest.raises(OSError, match="refused"):
            http.client.HTTPConnection("127.0.0.1", 1, timeout=1).request("GET", "/")


class TestFiles:
    def test_outside(self):
        with open("/etc/hosts") as file:
            assert file.read()

    def test_path(self):
        assert pathlib.Path("/proc/self/stat").read_text()

    def test_folder(self):
        assert os.listdir("/etc")

    def test_scanned(self):
        assert list(pathlib.Path("/etc").iterdir())

    def test_descriptor(self):
        os.close(os.open("/etc/hosts", os.O_RDONLY))

    def test_home(self):
        with pytest.raises(OSError, match="flex"):
            pathlib.Path("/home/nobody/.flex/settings").read_text()

    def test_left_behind(self):
        with open("results.txt", "a") as file:
            file.write("x")
        assert os.path.getsize("results.txt") < 3

    def test_database(self):
        sqlite3.connect("results.db").close()


class TestHashOrder:
    """Nothing is touched, and yet another order of hashes shows something else."""

    def test_text(self):
        assert hash("flex") % 1_000_003 < 1_000_000

    def test_bytes(self):
        assert hash(b"flex") % 1_000_003 < 1_000_000

    def test_set(self):
        assert int("".join({str(n) for n in range(10, 40)})) % 1_000_003 < 1_000_003

    def test_tuple(self):
        assert hash(("a", "b")) % 1_000_003 < 1_000_000

    def test_sorted_by_hash(self):
        assert int("".join(sorted((str(n) for n in range(10, 40)), key=hash))) % 1_000_003 < 1_000_003


class TestControlled:
    """All of it follows the seed of the run."""

    def test_random(self):
        assert random.random() < 0.9

    def test_shuffle(self):
        numbers = list(range(10))
        random.shuffle(numbers)
        assert numbers[0] < 9

    def test_own_generator(self):
        assert random.Random(3).random() < 0.9

    def test_unseeded_generator(self):
        assert random.Random().random() < 0.9

    def test_numpy(self):
        assert np.random.rand() < 0.9

    def test_numpy_generator(self):
        assert np.random.default_rng(3).random() < 0.9

    def test_unseeded_numpy_generator(self):
        assert np.random.default_rng().random() < 0.9

    def test_legacy_generator(self):
        assert np.random.RandomState(3).rand() < 0.9
