"""Flaky tests of every cause, which fail in some percent of their runs or more."""

import queue
import random
import threading
import time
import uuid

import pytest


@pytest.mark.parametrize("number", range(3))
def test_draws(number):
    assert random.random() < 0.8


def test_asks_for_entropy():
    assert uuid.uuid4().int % 10 > 1


def test_clock():
    assert time.time_ns() // 1000 % 10 > 1


@pytest.mark.parametrize("number", range(2))
def test_generator_of_its_own(number):
    assert random.Random().random() < 0.8


def test_hands_over():
    handed = queue.Queue()
    thread = threading.Thread(target=lambda: handed.put(time.time_ns() // 1000 % 10))
    thread.start()
    thread.join()
    assert handed.get() > 1
