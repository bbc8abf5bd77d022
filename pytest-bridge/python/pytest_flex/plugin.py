"""pytest's hooks. Everything else is loaded when the first stochastic test is collected."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from pytest_flex import options

if TYPE_CHECKING:
    from pytest_flex.session.session import FlexSession

SESSION: pytest.StashKey[FlexSession] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options `--flex…` and the ini settings of the same names."""
    options.add(parser)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, Any, Any]:
    """Begin a search before anything of the project is loaded."""
    if options.will_search(early_config):
        from pytest_flex.observing import hook
        from pytest_flex.session import restart

        restart.with_known_hashes()
        hook.install(early_config)
    return (yield)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and refuse options that cannot be understood."""
    words = "stochastic: a test of randomised code, whose bounds flex learns and enforces"
    if config.option.markers:
        # The options are the engine's, which is loaded only where somebody asks for them.
        from pytest_flex.session import marker

        words = marker.described()
    config.addinivalue_line("markers", words)
    config.stash[options.OPTIONS] = options.read(config)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take over the stochastic tests, or all of them for a search or a trace."""
    given = config.stash[options.OPTIONS]
    is_ours = given.searches or given.traces or any(item.get_closest_marker("stochastic") for item in items)
    if is_ours and not config.option.collectonly:
        ours = config.stash[SESSION] = _new_session(config)
        ours.take_over(items)
    elif given.learns:
        # Nothing to learn: ordinary tests are not run for that.
        config.hook.pytest_deselected(items=items[:])
        items.clear()


def pytest_report_collectionfinish(config: pytest.Config, items: list[pytest.Item]) -> str | list[str]:
    """Say in one line what flex will do, if there is something to do."""
    ours = config.stash.get(SESSION, None)
    return [] if ours is None else ours.header()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Finish a calibration, a search or a trace."""
    ours = session.config.stash.get(SESSION, None)
    if ours is not None:
        ours.finish(session)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Show what came of it."""
    ours = config.stash.get(SESSION, None)
    if ours is not None:
        ours.summarise(terminalreporter)
        if ours.options.report is not None:
            from pytest_flex.session import report_file

            report_file.write(ours, terminalreporter)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give every worker of xdist the same seed."""
    node.workerinput["flex_base"] = _controller(node.config).base


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Take what a worker of xdist recorded."""
    found = getattr(node, "workeroutput", {}).get("flex")
    if found is not None:
        _controller(node.config).take_over_from(found)


def _controller(config: pytest.Config) -> FlexSession:
    """Return the session of the process that only distributes tests."""
    if SESSION not in config.stash:
        config.stash[SESSION] = _new_session(config)
    return config.stash[SESSION]


def _new_session(config: pytest.Config) -> FlexSession:
    with _without_rewriting(config):
        kind = _kind_of_session(config)
    return kind(config)


@contextlib.contextmanager
def _without_rewriting(config: pytest.Config) -> Iterator[None]:
    """Import what is ours as it is: what pytest does to `assert` is for tests, and takes four times as long."""
    hook = config.pluginmanager.rewrite_hook
    place = sys.meta_path.index(hook) if hook in sys.meta_path else None
    if place is not None:
        del sys.meta_path[place]
    try:
        yield
    finally:
        if place is not None:
            sys.meta_path.insert(place, hook)


def _kind_of_session(config: pytest.Config) -> type[FlexSession]:
    if config.stash[options.OPTIONS].searches:
        from pytest_flex.modes.searching import Searching

        return Searching
    if config.stash[options.OPTIONS].traces:
        from pytest_flex.modes.trace import Tracing

        return Tracing
    from pytest_flex.modes.suite import Suite

    return Suite


@pytest.fixture
def flex_rng(request: pytest.FixtureRequest) -> Any:
    """A generator that follows the seed of the run: `numpy.random.Generator`, or `random.Random` without NumPy."""
    from pytest_flex.seeds import seeding

    return seeding.generator(_seed(request))


@pytest.fixture
def flex_seed(request: pytest.FixtureRequest) -> int:
    """A seed of 32 bits that follows the seed of the run, for libraries that want one."""
    from pytest_flex.seeds import seeding

    return seeding.number(_seed(request))


@pytest.fixture
def flex_key(request: pytest.FixtureRequest) -> Any:
    """A key of JAX that follows the seed of the run: `jax.random.key`."""
    from pytest_flex.seeds import seeding

    return seeding.key(_seed(request))


def _seed(request: pytest.FixtureRequest) -> bytes:
    from pytest_flex import _native, running

    if running.run is None:
        raise pytest.UsageError(
            f"{request.node.nodeid}: {request.fixturename} is for stochastic tests: mark it with @stochastic"
        )
    _native.noted("randomness", "flex_rng, flex_seed or flex_key", True)
    return running.run.seed
