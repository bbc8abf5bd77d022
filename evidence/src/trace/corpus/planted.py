"""Tests that fail now and then, one for each way in which a run can differ; `rate` is how often, in percent."""

import asyncio
import concurrent.futures
import datetime
import os
import random
import secrets
import socket
import threading
import time
import uuid

import numpy as np


# randomness


def test_randomness_random():
    assert int(random.random() * 1e6) % 100 >= RATE


def test_randomness_legacy_numpy():
    assert int(np.random.RandomState().randint(1000000)) % 100 >= RATE


def test_randomness_generator():
    assert int(np.random.default_rng().integers(1000000)) % 100 >= RATE


def test_randomness_uuid():
    assert int(uuid.uuid4().int) % 100 >= RATE


def test_randomness_secrets():
    assert int(secrets.randbelow(1000000)) % 100 >= RATE


# time


def test_time_now():
    assert int(datetime.datetime.now().microsecond) % 100 >= RATE


def test_time_clock():
    assert int(time.perf_counter_ns()) % 100 >= RATE


# concurrency


def test_concurrency_thread():
    seen = []
    thread = threading.Thread(target=lambda: seen.append(threading.get_native_id()))
    thread.start()
    thread.join()
    assert int(seen[0]) % 100 >= RATE


def test_concurrency_pool():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        seen = list(pool.map(lambda _: threading.get_native_id(), range(2)))
    assert int(sum(seen)) % 100 >= RATE


# async-wait


def test_async_wait_condition():
    condition = threading.Condition()
    with condition:
        condition.wait(0.001)
    assert int(time.monotonic_ns()) % 100 >= RATE


def test_async_wait_sleep():
    async def wait():
        await asyncio.sleep(0.001)
        return asyncio.get_running_loop().time()

    assert int(asyncio.run(wait()) * 1e6) % 100 >= RATE


# network


def test_network_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        assert int(server.getsockname()[1]) % 100 >= RATE


def test_network_connection():
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname()) as client:
            assert int(client.getsockname()[1]) % 100 >= RATE


# files


def test_files_uptime():
    with open("/proc/uptime") as file:
        assert int(file.read().split()[0].replace(".", "")) % 100 >= RATE


def test_files_status():
    descriptor = os.open("/proc/self/stat", os.O_RDONLY)
    try:
        assert int(sum(os.read(descriptor, 1000))) % 100 >= RATE
    finally:
        os.close(descriptor)


# hash-order


def test_hash_order_of_a_set():
    assert int(hash("left")) % 100 >= RATE


# Sound tests that do the same kinds of things.


def test_sound_seeded():
    assert random.Random(1).random() == random.Random(1).random()


def test_sound_clock():
    assert time.monotonic() > 0


def test_sound_thread():
    seen = []
    thread = threading.Thread(target=seen.append, args=(1,))
    thread.start()
    thread.join()
    assert seen == [1]


def test_sound_file(tmp_path):
    (tmp_path / "a").write_text("a")
    assert (tmp_path / "a").read_text() == "a"
