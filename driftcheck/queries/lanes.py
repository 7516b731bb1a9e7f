"""Many releases, examined by two processes that start from one run on known-good.

The processes are forked, so that what was read and inferred for known-good is there without doing it
again. One works from the oldest release up, the other from the newest down: neighbours are alike, and
nobody waits for the other's last long one. Where there is no fork, everything is done here in turn.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import Any

import msgspec

from driftcheck.queries.structs import ReleaseResult

Work = Callable[[str], ReleaseResult]
LANES = 2


def examine_all(
    versions: Sequence[str], work: Work, done: Callable[[str], None], lanes: int | None = None
) -> dict[str, ReleaseResult]:
    """What ``work`` says of every version. A process that dies leaves an error for the one it was at."""
    count = min(lanes or min(LANES, os.cpu_count() or 1), len(versions))
    if count < 2 or "fork" not in multiprocessing.get_all_start_methods():
        found: dict[str, ReleaseResult] = {}
        with collected():
            for version in versions:
                found[version] = _kept(version, work)
                done(version)
                gc.collect()
        return found
    with collected():
        return _forked(list(versions), work, done, count)


@contextmanager
def collected() -> Iterator[None]:
    """No collection in the middle of work, whose objects nearly all live to its end."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _forked(
    versions: list[str], work: Work, done: Callable[[str], None], count: int
) -> dict[str, ReleaseResult]:
    context = multiprocessing.get_context("fork")
    gc.freeze()  # what known-good needed stays shared: no collection touches it
    taken = context.Array("i", [0, len(versions)])
    lanes: dict[Connection, Any] = {}
    try:
        for number in range(count):
            mine, theirs = context.Pipe(duplex=False)
            process = context.Process(
                target=_lane, args=(versions, work, taken, number % 2, theirs), daemon=True
            )
            process.start()
            theirs.close()
            lanes[mine] = process
        return _gathered(lanes, versions, done)
    finally:
        gc.unfreeze()
        for process in lanes.values():
            process.terminate()
            process.join()


def _lane(versions: list[str], work: Work, taken: Any, side: int, pipe: Connection) -> None:
    """One process: takes the next version from its side until the two sides meet."""
    while True:
        with taken.get_lock():
            if taken[0] >= taken[1]:
                break
            if side == 0:
                at, taken[0] = taken[0], taken[0] + 1
            else:
                taken[1] -= 1
                at = taken[1]
        pipe.send_bytes(f"begin {versions[at]}".encode())
        pipe.send_bytes(msgspec.msgpack.encode(_kept(versions[at], work)))
        gc.collect()
    pipe.close()
    os._exit(0)  # nothing of the parent's is to be tidied up here


def _kept(version: str, work: Work) -> ReleaseResult:
    """The result, or what went wrong: one release that cannot be read does not stop the others."""
    try:
        return work(version)
    except Exception as error:
        return ReleaseResult(version, error=f"{type(error).__name__}: {error}")


def _gathered(
    lanes: dict[Connection, Any], versions: list[str], done: Callable[[str], None]
) -> dict[str, ReleaseResult]:
    found: dict[str, ReleaseResult] = {}
    at: dict[Connection, str] = {}
    open_lanes = set(lanes)
    while open_lanes:
        for pipe in wait(list(open_lanes)):
            assert isinstance(pipe, Connection)
            try:
                data = pipe.recv_bytes()
            except EOFError:
                open_lanes.discard(pipe)
                continue
            if data.startswith(b"begin "):
                at[pipe] = data[6:].decode()
                continue
            result = msgspec.msgpack.decode(data, type=ReleaseResult)
            found[result.version] = result
            done(result.version)
            at.pop(pipe, None)
    for version in versions:
        if version not in found:
            found[version] = ReleaseResult(version, error="the process that examined it ended early")
    return found


def prefetch(fetch: Callable[[str], object], versions: Sequence[str]) -> Callable[[], None]:
    """Fetch in the background what is examined later; call what comes back to stop.

    In a process of its own, since threads and forks do not mix; a thread where there is no fork.
    """
    if not versions:
        return lambda: None
    if "fork" in multiprocessing.get_all_start_methods():
        process = multiprocessing.get_context("fork").Process(
            target=_fetch_all, args=(fetch, versions), daemon=True
        )
        process.start()
        return process.terminate
    threading.Thread(target=_fetch_all, args=(fetch, versions), daemon=True).start()
    return lambda: None


def _fetch_all(fetch: Callable[[str], object], versions: Sequence[str]) -> None:
    for version in versions:
        try:
            fetch(version)
        except Exception:
            continue  # whoever needs it will say so
