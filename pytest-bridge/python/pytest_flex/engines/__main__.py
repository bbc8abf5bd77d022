"""``python -m pytest_flex.engines dask``: the driver, which `calibrate --engine` starts; see the package."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import uuid

from .telling import tell


def main() -> int:
    """Connect to a cluster, and do what standard input says until it ends."""
    parser = argparse.ArgumentParser(prog="python -m pytest_flex.engines", description=__doc__)
    parser.add_argument("engine", choices=["dask", "ray"])
    parser.add_argument("--address", help="where the scheduler is")
    asked = parser.parse_args()
    try:
        module = importlib.import_module(f"pytest_flex.engines.on_{asked.engine}")
    except ModuleNotFoundError as error:
        tell({"is": "refused", "words": f"{error}", "hint": f"pip install 'pytest-flex[{asked.engine}]'"})
        return 1
    try:
        cluster = module.Cluster(asked.address, uuid.uuid4().hex[:8])
    except Exception as error:
        tell({"is": "refused", "words": f"{error}", "hint": "is the cluster up? --address says where it is"})
        return 1
    try:
        tell({"is": "ready", "workers": cluster.workers()})
        for line in sys.stdin:
            order = json.loads(line)
            if order["do"] == "make":
                cluster.make(order)
            else:
                for attempt in order["ids"]:
                    cluster.withdraw(attempt)
    finally:
        cluster.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
