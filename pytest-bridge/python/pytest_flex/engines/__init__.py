"""Dask and Ray: a driver between ``calibrate --engine`` and the cluster that makes its shards.

The command line decides which shard is made, when, and how often; the driver only hands commands over and tells what
became of them. Both talk in lines of JSON. From the command line::

    {"do": "make", "id": "3.0", "words": ["flex-harness", …], "out": 5, "folder": "…", "variables": {}, "to": "…",
     "avoid": []}
    {"do": "withdraw", "ids": ["3.0"]}

and back::

    {"is": "ready", "workers": 4}
    {"is": "begun", "id": "3.0", "host": "tcp://127.0.0.1:40001"}
    {"is": "ended", "id": "3.0", "code": 0, "words": "what it said last"}
    {"is": "died", "id": "3.0", "words": "the worker is lost"}

A worker writes a shard into a folder of its own, and its files travel with the answer: nothing but the project itself
must be the same on all machines.
"""
