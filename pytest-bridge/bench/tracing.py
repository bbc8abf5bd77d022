"""What probes and tracing cost: the processor time of pytest with and without them, as JSON.

Called with the number of rounds and with what selects the tests; each round makes all variants in turn, and the least
of each counts. Processes of the suite are counted with it.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile

VARIANTS = {
    "plain": [],
    "probes": ["--flex=trace"],
    "calls": ["--flex=trace", "--flex-calls"],
}
QUIET = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist"]


def main() -> None:
    """Measure and print."""
    rounds, selection = int(sys.argv[1]), sys.argv[2:]
    with tempfile.TemporaryDirectory(prefix="flex-") as folder:
        seconds: dict[str, list[float]] = {name: [] for name in VARIANTS}
        for _ in range(rounds):
            for name, options in VARIANTS.items():
                file = [f"--flex-record={folder}/trace.json"] if options else []
                seconds[name].append(_processor_time([*QUIET, *options, *file, *selection]))
    print(json.dumps({name: min(times) for name, times in seconds.items()}))


def _processor_time(args: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # With a cache of what pytest makes of modules, as usual.
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *args],
        env={**usual, "PYTHONHASHSEED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode not in (0, 1):
        sys.exit(done.stdout.decode(errors="replace"))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


if __name__ == "__main__":
    main()
