"""Tracebacks that workers left as text."""

from __future__ import annotations

from driftcheck.validate.portable.outcome import Frame, Raised
from driftcheck.validate.portable.workers import reported, tracebacks

LOG = """\
INFO 12-01 starting
(Worker pid=12) ERROR 12-01 10:00:00 [exec.py:822] WorkerProc hit an exception.
(Worker pid=12) ERROR 12-01 10:00:00 [exec.py:822] Traceback (most recent call last):
(Worker pid=12) ERROR 12-01 10:00:00 [exec.py:822]   File "/x/provider/exec.py", line 817, in loop
(Worker pid=12) ERROR 12-01 10:00:00 [exec.py:822]     output = func(*args)
(Worker pid=12) ERROR 12-01 10:00:00 [exec.py:822]              ^^^^^^^^^^^
(Worker pid=12) ERROR 12-01 10:00:01 [exec.py:822]   File "/x/consumer/worker.py", line 30, in forward
(Worker pid=12) ERROR 12-01 10:00:01 [exec.py:822]     self.embed(ids)
(Worker pid=12) ERROR 12-01 10:00:01 [exec.py:822] AttributeError: 'Model' object has no attribute 'embed'
Traceback (most recent call last):
  File "/x/driver/run.py", line 3, in drive
    start()
RuntimeError: Worker failed with error ''Model' object has no attribute 'embed''
"""


def place(file: str, line: int, function: str) -> Frame:
    return Frame(file.split("/")[2], file.rpartition("/")[2], line, function)


def test_a_prefixed_traceback_is_read() -> None:
    first, second = tracebacks(LOG.splitlines(), place)
    assert (first.type, first.message) == ("AttributeError", "'Model' object has no attribute 'embed'")
    assert [(frame.role, frame.line) for frame in first.frames] == [("provider", 817), ("consumer", 30)]
    assert second.type == "RuntimeError"


def test_a_parent_reports_its_worker() -> None:
    found = tracebacks(LOG.splitlines(), place)
    parent = Raised("RuntimeError", "Worker failed with error ''Model' object has no attribute 'embed''")
    assert reported(parent, found) is found[0]
    assert reported(Raised("RuntimeError", "something else"), found) is None


def test_a_cut_traceback_is_no_traceback() -> None:
    assert tracebacks(LOG.splitlines()[:6], place) == []
