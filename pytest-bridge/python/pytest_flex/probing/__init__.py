"""Probes: what a run of a test touches that can differ from run to run, by cause, without tracing a call.

Nothing here is loaded unless a mode watches its runs. A run has a watch, whose window is open while something belongs
to the run; it may be opened several times, for fixtures, the body and what is torn down:

>>> from pytest_flex import _native
>>> from pytest_flex.probing import watching
>>>
>>> watching.install(config)                # once for the session, before its first run; costs about a millisecond
>>> watch = _native.Watch(seeded=True)      # a new run, whose seed decides global generators
>>> with watch:
...     item.setup()
>>> with watch:
...     item.runtest()
>>> probe = watch.probe()                   # a `_native.Probe`: what the run touched
>>> probe.variability                       # "fixed", "controlled" or "can vary"
>>> probe.touches()                         # [(cause, what, seeded, count, (file, line) or None), …]
>>> watch.imported                          # whether modules that it imported touched something, which is left out

Only one watch is current in a process: making a new one ends the one before, whose `probe()` must have been asked for.
What is seen, and what is not, is said in `docs/reference/probes-pytest.md`.
"""
