"""Tests in which nothing varies, for `test_probes.py`: a probe must leave every one of them alone."""

import collections
import contextlib
import copy
import dataclasses
import datetime
import decimal
import functools
import io
import json
import logging
import os
import pathlib
import pickle
import queue
import re
import sqlite3
import tempfile
import threading
import time
import unittest
import unittest.mock
import warnings

import numpy as np
import pytest

HERE = pathlib.Path(__file__).parent


@dataclasses.dataclass
class Point:
    x: int
    y: int = 2


@pytest.fixture
def yielded():
    yield 3
    json.dumps(3)


@pytest.fixture(scope="module")
def timed_once():
    return time.time() > 0


def test_nothing():
    pass


def test_arithmetic():
    assert sum(range(10)) < 46


def test_imports():
    import colorsys
    import wave
    import xml.dom.minidom

    assert colorsys
    assert wave
    assert xml


def test_imports_what_reads_the_clock_once():
    import reads_clock

    assert reads_clock.STARTED


def test_imports_what_draws():
    import statistics

    assert statistics.mean([1, 2]) < 2


def test_temporary_folder(tmp_path):
    (tmp_path / "a").write_text("a")
    assert os.listdir(tmp_path) == ["a"]


def test_tempfile():
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "a"), "w") as file:
        file.write("a")


def test_captured(capsys):
    print("a")
    assert capsys.readouterr().out == "a\n"


def test_logged(caplog):
    logging.getLogger("a").warning("b")
    assert caplog.messages == ["b"]


def test_patched(monkeypatch, tmp_path):
    monkeypatch.setenv("A", "b")
    monkeypatch.chdir(tmp_path)
    assert os.environ["A"] == "b"


@pytest.mark.parametrize("number", [1, 2])
def test_parameters(number):
    assert number < 3


def test_file_of_the_project():
    assert (HERE / "words.txt").read_text() == "a\n"
    assert "words.txt" in os.listdir(HERE)


def test_relative_file_of_the_project():
    with open("words.txt") as file:
        assert file.read() == "a\n"


def test_installed_file():
    assert json.__file__
    with open(json.__file__) as file:
        assert file.read()


def test_warning():
    with pytest.warns(UserWarning, match="a"):
        warnings.warn("a", stacklevel=1)


def test_raises():
    with pytest.raises(ValueError, match="a"):
        raise ValueError("a")


def test_approx():
    assert sum([0.1, 0.2]) == pytest.approx(0.3)


def test_expression():
    assert re.compile("a(b)+").match("abb")


def test_dataclass():
    assert dataclasses.asdict(Point(1)) == {"x": 1, "y": 2}


def test_sets():
    assert sorted({"a", "b", "c"}) == ["a", "b", "c"]
    assert {word: len(word) for word in {"a", "bb"}} == {"a": 1, "bb": 2}


def test_containers():
    assert collections.Counter("abca").most_common(1) == [("a", 2)]
    assert collections.OrderedDict(a=1) == {"a": 1}


def test_copies():
    assert copy.deepcopy([Point(1)]) == pickle.loads(pickle.dumps([Point(1)]))


def test_json():
    assert json.loads(json.dumps({"a": 1.5})) == {"a": 1.5}


def test_times_that_are_given():
    assert time.gmtime(0).tm_year == 1970
    assert time.strftime("%Y", time.gmtime(0)) == "1970"
    assert datetime.datetime.fromtimestamp(0, datetime.timezone.utc).year == 1970
    assert datetime.datetime(2020, 1, 1) + datetime.timedelta(1) == datetime.datetime(2020, 1, 2)


def test_decimal():
    assert decimal.Decimal(1) / 3 < 1


def test_cached():
    assert functools.lru_cache(len)("a") == 1


def test_free_lock():
    lock = threading.Lock()
    with lock, threading.RLock():
        assert lock.locked()


def test_queue_without_threads():
    items = queue.Queue()
    items.put(1)
    assert items.get() == 1


def test_database_in_memory():
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        assert database.execute("select 1").fetchone() == (1,)


def test_streams():
    with contextlib.redirect_stdout(io.StringIO()) as out:
        print("a")
    assert out.getvalue() == "a\n"


def test_mock():
    with unittest.mock.patch("time.time", return_value=5):
        assert time.time() == 5


def test_numpy():
    assert np.linspace(0, 1, 5).sum() < 3
    assert np.testing.assert_allclose([1.0], [1.0]) is None


def test_yielded(yielded, request):
    assert yielded < 4
    assert request.node.name


def test_wider_fixture(timed_once):
    assert timed_once


class TestMethods:
    def setup_method(self):
        self.value = 1

    def test_method(self):
        assert self.value < 2


class TestCase(unittest.TestCase):
    def setUp(self):
        self.value = 1

    def test_less(self):
        self.assertLess(self.value, 2)  # noqa: PT009

    def test_subtests(self):
        for number in range(3):
            with self.subTest(number=number):
                assert number < 3
