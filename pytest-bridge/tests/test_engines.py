"""The driver of Dask and Ray: what a worker does, and, where they are installed, real clusters on this machine."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from pytest_flex.engines import making, telling

HEADING = "import os, sys, pathlib; out = pathlib.Path(sys.argv[sys.argv.index('--out') + 1])\n"


def order(code: str, folder: pathlib.Path, attempt: str = "0.0") -> dict[str, object]:
    """Return an order whose command runs this code, in which `out` is the folder for files."""
    words = ["python", "-c", HEADING + textwrap.dedent(code), "--out", "replaced", "--shard", "1/2"]
    return {
        "do": "make",
        "id": attempt,
        "words": words,
        "out": 4,
        "folder": str(folder),
        "variables": {"FLEX_VARIANT": "gpu"},
        "to": str(folder),
        "avoid": [],
        "session": "test",
    }


def test_a_worker_returns_the_files_of_a_shard(tmp_path):
    made = making.make(
        order("(out / 'a.shard').write_bytes(b'whole'); print(os.environ['FLEX_VARIANT'], file=sys.stderr)", tmp_path)
    )
    assert made == {"code": 0, "words": "gpu\n", "files": {"a.shard": b"whole"}}
    telling.keep(made["files"], tmp_path)
    assert (tmp_path / "a.shard").read_bytes() == b"whole"
    telling.keep({"../b.shard": b""}, tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.shard", "b.shard"]


def test_what_fails_returns_no_files_and_says_why(tmp_path):
    made = making.make(order("(out / 'a.shard').write_bytes(b'half'); sys.exit('error: no room')", tmp_path))
    assert made == {"code": 1, "words": "error: no room\n", "files": {}}
    made = making.make(order("os.kill(os.getpid(), 9)", tmp_path))
    assert made["code"] == -signal.SIGKILL


def test_where_nothing_can_be_written_a_worker_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    made = making.make(order("", tmp_path))
    assert made["code"] == making.CANNOT_WRITE
    assert "missing" in str(made["words"])


def test_an_attempt_that_nobody_needs_is_ended_with_what_it_started(tmp_path):
    code = f"""
        import subprocess
        child = subprocess.Popen(["sleep", "1000"])
        pathlib.Path({str(tmp_path)!r}, "child").write_text(str(child.pid))
        child.wait()
    """
    worker = subprocess.Popen(
        [sys.executable, "-c", f"from pytest_flex.engines import making; making.make({order(code, tmp_path)!r})"]
    )
    child = tmp_path / "child"
    wait_until(lambda: child.exists() and child.read_text() != "")
    making.end("test", "0.0")
    assert worker.wait(60) == 0
    wait_until(lambda: not is_running(int(child.read_text())))
    making.end("test", "0.0")


def wait_until(holds) -> None:
    """Wait until something holds."""
    until = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.05)


def is_running(process: int) -> bool:
    """Return whether a process is there and no zombie."""
    try:
        status = pathlib.Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return status.rsplit(")", 1)[1].split()[0] != "Z"


def test_a_driver_without_its_library_says_what_to_install(tmp_path):
    (tmp_path / "distributed.py").write_text("raise ModuleNotFoundError('no distributed here')\n")
    (tmp_path / "cloudpickle.py").write_text("")
    variables = {**os.environ, "PYTHONPATH": str(tmp_path)}
    words = [sys.executable, "-m", "pytest_flex.engines", "dask", "--address", "tcp://127.0.0.1:1"]
    driver = subprocess.run(words, env=variables, input="", capture_output=True, text=True, timeout=60)
    told = json.loads(driver.stdout)
    assert told["is"] == "refused"
    assert told["hint"] == "pip install 'pytest-flex[dask]'"


PROGRAM = os.environ.get("FLEX_HARNESS")

TESTS = """
from pytest_flex import learned, stochastic


@stochastic
def test_one(flex_rng):
    assert abs(flex_rng.normal()) < learned()
"""


@pytest.mark.skipif(PROGRAM is None, reason="FLEX_HARNESS does not say where the command line is")
def test_workers_on_this_machine_learn_what_one_process_learns(tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_it.py").write_text(TESTS)
    bounds = tmp_path / "flex-bounds.toml"
    path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"

    def learns(*options: str) -> str:
        words = [str(PROGRAM), "calibrate", "--pytest", "test_it.py", "--seed", "fixed", *options]
        said = subprocess.run(
            words, cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=300
        )
        assert said.returncode == 0, said.stdout + said.stderr
        learned = bounds.read_text()
        bounds.unlink()
        return "".join(line for line in learned.splitlines(True) if not line.startswith("calibrated = "))

    assert learns("--engine", "local", "--jobs", "2", "--shards", "3") == learns()
    assert not list(tmp_path.glob(".pytest_cache/d/flex/engine-*"))


@pytest.mark.skipif(PROGRAM is None, reason="FLEX_HARNESS does not say where the command line is")
@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--jobs", "3", "--folder", "/pro ject", "--name", "other", "--", "--pytest", "tests", "-k", "a: 'b' #\n"),
    ],
)
def test_the_manifest_of_kubernetes_is_as_its_schema_asks(options):
    kubernetes_validate = pytest.importorskip("kubernetes_validate")
    import yaml

    words = [str(PROGRAM), "engine", "k8s", "--print", "--image", "registry.example/tests:1", *options]
    printed = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout
    manifest = yaml.safe_load(printed)
    kubernetes_validate.validate(manifest, kubernetes_validate.latest_version(), strict=True)
    (container,) = manifest["spec"]["template"]["spec"]["containers"]
    given = options[options.index("--") + 1 :] if options else ()
    assert all(word in container["command"] for word in given)
    # A mistake would be seen.
    manifest["spec"]["paralelism"] = manifest["spec"].pop("parallelism")
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(manifest, kubernetes_validate.latest_version(), strict=True)


class Driver:
    """A driver, and what it told so far."""

    def __init__(self, engine: str, address: str) -> None:
        words = [sys.executable, "-m", "pytest_flex.engines", engine, "--address", address]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.told: list[dict[str, object]] = []

    def tell(self, what: object) -> None:
        """Give an order."""
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()

    def wait_for(self, what: str, attempt: str | None = None) -> dict[str, object]:
        """Read until this is told, of this attempt."""
        while True:
            line = self.process.stdout.readline()
            assert line, self.told
            told = json.loads(line)
            self.told.append(told)
            if told["is"] == what and told.get("id") == attempt:
                return told

    def end(self) -> None:
        """End it, as the end of its input does."""
        self.process.stdin.close()
        assert self.process.wait(60) == 0


def makes_shards(engine: str, address: str, folder: pathlib.Path) -> None:
    """Let a cluster make, fail, lose and withdraw attempts."""
    driver = Driver(engine, address)
    assert driver.wait_for("ready")["workers"] == 2
    driver.tell(order("(out / 'a.shard').write_bytes(b'whole')", folder, "0.0"))
    driver.wait_for("begun", "0.0")
    assert driver.wait_for("ended", "0.0")["code"] == 0
    assert (folder / "a.shard").read_bytes() == b"whole"
    driver.tell(order("sys.exit('error: no room')", folder, "1.0"))
    failed = driver.wait_for("ended", "1.0")
    assert failed["code"] == 1
    assert "no room" in str(failed["words"])
    # What ends a process from outside is no failure of its shard.
    driver.tell(order("os.kill(os.getpid(), 9)", folder, "2.0"))
    driver.wait_for("died", "2.0")
    note = folder / "process"
    code = f"""
        import time
        pathlib.Path({str(note)!r}).write_text(str(os.getpid()))
        time.sleep(1000)
    """
    driver.tell(order(code, folder, "3.0"))
    wait_until(lambda: note.exists() and note.read_text() != "")
    driver.tell({"do": "withdraw", "ids": ["3.0"]})
    wait_until(lambda: not is_running(int(note.read_text())))
    # Elsewhere, if there is an elsewhere; here there is none for Ray, and none that is left for Dask.
    avoid = sorted({str(told["host"]) for told in driver.told if told["is"] == "begun"})
    driver.tell({**order("", folder, "4.0"), "avoid": avoid})
    assert driver.wait_for("ended", "4.0")["code"] == 0
    driver.end()


def test_dask_makes_shards_where_pytest_flex_is_not_installed(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    # Workers are given the path of this process when they start.
    hidden = tmp_path / "hidden"
    (hidden / "pytest_flex").mkdir(parents=True)
    (hidden / "pytest_flex" / "__init__.py").write_text("raise ModuleNotFoundError('no pytest_flex here')\n")
    monkeypatch.syspath_prepend(hidden)
    # The cluster sets it for its workers, and leaves it behind for all tests that follow.
    monkeypatch.setenv("PYTHONHASHSEED", "1")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    ) as cluster:
        makes_shards("dask", cluster.scheduler_address, tmp_path)


@pytest.mark.skipif(
    "FLEX_TEST_ISOLATED" not in os.environ, reason="Ray listens on every interface: cargo xtask engines"
)
def test_ray_makes_shards(tmp_path, monkeypatch):
    ray = pytest.importorskip("ray")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    context = ray.init(address="local", num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1")
    try:
        makes_shards("ray", context.address_info["gcs_address"], tmp_path)
    finally:
        ray.shutdown()
