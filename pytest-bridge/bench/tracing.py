"""What probes and tracing cost: the processor time of pytest with and without them, as JSON.

Called with the number of rounds and with what selects the tests. Each round makes all variants in turn, in an order
that the next one turns round, and compares each with pytest alone in the same round; the median of these ratios counts,
times the median of pytest alone. Before the first round each is made once: what Python compiles is there then.
Processes of the suite are counted with it.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
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
        made = [_round(folder, selection, is_turned=bool(number % 2)) for number in range(rounds + 1)][1:]
    alone = statistics.median(seconds["plain"] for seconds in made)
    print(json.dumps({name: alone * statistics.median(s[name] / s["plain"] for s in made) for name in VARIANTS}))


def _round(folder: str, selection: list[str], *, is_turned: bool) -> dict[str, float]:
    seconds = {}
    for name in reversed(VARIANTS) if is_turned else VARIANTS:
        options = VARIANTS[name]
        file = [f"--flex-record={folder}/trace.json"] if options else []
        seconds[name] = _processor_time([*QUIET, *options, *file, *selection])
    return seconds


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
