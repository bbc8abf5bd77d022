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


def fails(number):
    """Whether a number that follows no pattern stands for a run that fails."""
    return int(number) % 100 < RATE


# randomness


def test_randomness_random():
    assert not fails(random.random() * 1e6)


def test_randomness_legacy_numpy():
    assert not fails(np.random.RandomState().randint(1000000))


def test_randomness_generator():
    assert not fails(np.random.default_rng().integers(1000000))


def test_randomness_uuid():
    assert not fails(uuid.uuid4().int)


def test_randomness_secrets():
    assert not fails(secrets.randbelow(1000000))


# time


def test_time_now():
    assert not fails(datetime.datetime.now().microsecond)


def test_time_clock():
    assert not fails(time.perf_counter_ns())


# concurrency


def test_concurrency_thread():
    seen = []
    thread = threading.Thread(target=lambda: seen.append(threading.get_native_id()))
    thread.start()
    thread.join()
    assert not fails(seen[0])


def test_concurrency_pool():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        seen = list(pool.map(lambda _: threading.get_native_id(), range(2)))
    assert not fails(sum(seen))


# async-wait


def test_async_wait_condition():
    condition = threading.Condition()
    with condition:
        condition.wait(0.001)
    assert not fails(time.monotonic_ns())


def test_async_wait_sleep():
    async def wait():
        await asyncio.sleep(0.001)
        return asyncio.get_running_loop().time()

    assert not fails(asyncio.run(wait()) * 1e6)


# network


def test_network_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        assert not fails(server.getsockname()[1])


def test_network_connection():
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname()) as client:
            assert not fails(client.getsockname()[1])


# files


def test_files_uptime():
    with open("/proc/uptime") as file:
        assert not fails(file.read().split()[0].replace(".", ""))


def test_files_status():
    descriptor = os.open("/proc/self/stat", os.O_RDONLY)
    try:
        assert not fails(sum(os.read(descriptor, 1000)))
    finally:
        os.close(descriptor)


# hash-order


def test_hash_order_of_a_set():
    assert not fails(hash("left"))


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
