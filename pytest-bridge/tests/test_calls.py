"""`--flex=trace --flex-calls`: which functions a test executes, on both kinds of interpreters."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from typing import Any

import interpreters
import pytest

HEAD = """
import _thread, asyncio, datetime, functools, json, random, socket, threading, time, unittest
import pytest
"""

SUITE = (
    HEAD
    + """
class Shape:
    def __init__(self):
        self.sides = len("abc")

    def area(self):
        return self._half() * pow(2, 3)

    def _half(self):
        return 0.5

    @classmethod
    def unit(cls):
        return cls()

    @property
    def name(self):
        return "shape".upper()


def numbers():
    yield ord("a")
    yield 2


def factorial(n):
    return 1 if n == 0 else n * factorial(n - 1)


@pytest.fixture
def around():
    yield hex(1)
    oct(1)


def test_methods(around):
    shape = Shape.unit()
    assert shape.area() == 4.0
    assert shape.name == "SHAPE"


def test_nothing():
    pass


def test_generator_and_recursion():
    assert list(numbers()) == [97, 2]
    assert factorial(5) == 120


def test_callables_that_differ_at_one_place():
    for function in (abs, chr, ascii):
        function(65)


@pytest.mark.parametrize("base", [2, 16])
def test_parameters(base):
    assert (bin if base == 2 else hex)(3)


def test_fails():
    divmod(1, 2)
    raise ValueError("no")


def test_threads():
    done = threading.Event()

    def raw():
        json.loads("[1]")
        done.set()

    worker = threading.Thread(target=functools.partial(sorted, [2, 1]))
    other = threading.Thread(target=lambda: numbers().__next__())
    for thread in (worker, other):
        thread.start()
        thread.join()
    _thread.start_new_thread(raw, ())
    assert done.wait(60)


def test_published():
    random.random()
    datetime.datetime.now()
    open(__file__).close()
    condition = threading.Condition()
    with condition:
        condition.wait(0.001)
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        socket.create_connection(server.getsockname()).close()


def test_asynchronous():
    async def wait():
        await asyncio.sleep(0)
        return bin(1)

    asyncio.run(wait())


class Case(unittest.TestCase):
    def setUp(self):
        hex(1)

    def tearDown(self):
        oct(1)

    def test_unit(self):
        self.assertEqual(bin(1), "0b1")

    def test_unit_fails(self):
        self.fail("no")


class TestGroup:
    def test_method(self):
        Shape()


def test_made_at_run_time():
    made = {}
    exec("def fresh(): return bin(2)", made)
    made["fresh"]()
    type("Fresh", (list,), {})().append(1)
"""
)


@pytest.fixture(params=["this", "other"])
def run(request: pytest.FixtureRequest, project: Any) -> Any:
    """Run pytest by this interpreter, or by one of the other kind."""

    def run(*args: str, code: int = 1) -> str:
        if request.param == "this":
            return project.pytest("-p", "no:randomly", *args, code=code)
        python = interpreters.of_other_kind()
        if python is None:
            pytest.skip("there is no such interpreter")
        done = subprocess.run(
            [python, "-m", "pytest", "-p", "pytest_flex.plugin", *args],
            cwd=project.path,
            env=interpreters.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == code, done.stdout
        return done.stdout

    run.counts = (request.param == "this") == (sys.version_info < (3, 12))
    return run


@pytest.fixture
def traced(run: Any, project: Any) -> Any:
    """Trace a suite, and return what each test executed."""

    def trace(suite: str, *args: str, code: int = 1) -> dict[str, dict[str, int]]:
        project.write("test_it.py", suite)
        project.printed = run("--flex=trace", "--flex-calls", "--flex-record=trace.json", *args, code=code)
        project.trace = json.loads((project.path / "trace.json").read_text(encoding="utf-8"))
        assert project.trace["is_full"]
        for test in project.trace["tests"]:
            calls = test.get("functions", [])
            test["functions"] = [{**project.trace["functions"][number], "count": count} for number, count in calls]
        return {test["name"].split("::", 1)[1]: _named(test) for test in project.trace["tests"]}

    return trace


def _named(test: dict[str, Any]) -> dict[str, int]:
    """Return the functions of a test by class and name, with how often each was called."""
    functions = test["functions"]
    return {".".join(filter(None, (f["class"], f["function"]))): f["count"] for f in functions}


def test_functions_of_python_and_of_c_are_known_by_class_and_name(run, traced, project):
    tests = traced(SUITE)
    plain = tests["test_methods"]
    assert set(plain) == {
        "test_methods",
        "Shape.unit",
        "Shape.__init__",
        "Shape.area",
        "Shape._half",
        "Shape.name",
        "len",
        "pow",
        "str.upper",
    }
    assert tests["test_nothing"] == {"test_nothing": 1}
    test = next(test for test in project.trace["tests"] if test["name"].endswith("test_methods"))
    places = {f["function"]: (f["file"], f["line"]) for f in test["functions"]}
    assert places["area"] == ("test_it.py", SUITE.split("def area")[0].count("\n") + 1)
    assert places["len"] == ("", 0)
    assert (test["file"], test["outcome"]) == ("test_it.py", "pass")

    numbers = tests["test_generator_and_recursion"]
    assert set(numbers) == {"test_generator_and_recursion", "numbers", "ord", "factorial"}
    assert numbers["factorial"] == (6 if run.counts else 1)
    assert {"abs", "chr", "ascii"} <= set(tests["test_callables_that_differ_at_one_place"])
    assert set(tests["test_parameters[2]"]) == {"test_parameters", "bin"}
    assert set(tests["test_parameters[16]"]) == {"test_parameters", "hex"}
    assert set(tests["test_fails"]) == {"test_fails", "divmod"}
    assert {"fresh", "bin", "exec", "Fresh.append"} <= set(tests["test_made_at_run_time"])
    assert set(tests["TestGroup::test_method"]) == {"TestGroup.test_method", "Shape.__init__", "len"}

    # Neither fixtures nor set-up and tear-down are the test.
    assert {"Case.test_unit", "TestCase.assertEqual", "bin"} <= set(tests["Case::test_unit"])
    assert set(tests["Case::test_unit_fails"]) == {"Case.test_unit_fails", "TestCase.fail"}
    for name in ("test_methods", "Case::test_unit", "Case::test_unit_fails"):
        assert not {"hex", "oct", "Case.setUp", "Case.tearDown"} & set(tests[name])


def test_the_sources_are_known_by_their_contents_and_functions_by_where_they_are_defined(traced, project):
    library = """
def cached(function):
    def wrapper(*args):
        return function(*args)
    return wrapper

@cached
def double(number):
    return 2 * number
"""
    project.write("library.py", library)
    project.write("unused.py", "")
    tests = traced("import library\n\ndef test_double():\n    assert library.double(1) == 2\n", code=0)
    assert set(tests["test_double"]) == {"test_double", "wrapper", "double"}
    [wrapper] = [f for f in project.trace["functions"] if f["function"] == "wrapper"]
    assert (wrapper["class"], wrapper["file"], wrapper["line"]) == ("", "library.py", 3)
    # CPython 3.10 does not say.
    assert wrapper.get("qualified", "cached.<locals>.wrapper") == "cached.<locals>.wrapper"
    contents = {file["file"]: file["sha256"] for file in project.trace["files"]}
    assert set(contents) == {"library.py", "test_it.py"}
    assert contents["library.py"] == hashlib.sha256(library.encode()).hexdigest()


def test_threads_are_traced_however_they_are_started(traced):
    functions = traced(SUITE)["test_threads"]
    assert {"Thread.run", "numbers", "ord", "raw", "loads", "start_new_thread"} <= set(functions)


def test_published_functions_are_found(traced):
    tests = traced(SUITE)
    published = {
        "Random.random",
        "type.now",
        "open",
        "Condition.wait",
        "socket.__init__",
        "create_connection",
    }
    assert published <= set(tests["test_published"])
    assert {"wait", "sleep", "bin", "BaseEventLoop._run_once"} <= set(tests["test_asynchronous"])


def test_what_a_test_says_is_what_it_says_without_tracing(run, traced, project):
    failing = SUITE + "\n\ndef test_compared():\n    assert Shape().area() == 5, sorted([3, 1])\n"
    traced(failing, "-p", "no:cacheprovider")
    plain = run("-p", "no:cacheprovider")

    def said(printed: str) -> list[str]:
        lines = printed[printed.index("= FAILURES =") : printed.index("= short test summary")].splitlines()
        # Of objects that are shown, the addresses differ.
        return [re.sub("0x[0-9a-f]+", "", line) for line in lines if not line.startswith(("=", "flex:"))]

    assert said(project.printed) == said(plain)
    assert "3 failed" in project.printed


def test_a_profiler_or_monitor_of_a_test_is_its_own(traced):
    suite = (
        HEAD
        + """
import sys

def test_profile():
    seen = []
    sys.setprofile(lambda frame, event, arg: seen.append(event))
    len("a")
    sys.setprofile(None)
    assert "c_call" in seen

def test_after():
    assert sys.getprofile() is None or sys.version_info < (3, 12)
    abs(1)

def test_last():
    assert ord("a")
"""
    )
    tests = traced(suite, code=0)
    assert {"abs", "test_after"} <= set(tests["test_after"])
    assert set(tests["test_last"]) == {"test_last", "ord"}
