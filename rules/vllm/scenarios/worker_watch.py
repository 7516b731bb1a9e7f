"""What the workers of an executor say about themselves, asked beside what the consumer asks."""

from __future__ import annotations

CAPTURED = "_get_captured_states"


def _question():  # type: ignore[no-untyped-def]
    """What is asked, as a function that is sent whole: a worker cannot import the driver's modules."""

    def about(worker):  # type: ignore[no-untyped-def]
        """Its process, its rank, whether it holds captured states, and how often it was asked."""
        import os

        own = getattr(worker, "worker", None) or worker
        own.driftcheck_asked = getattr(own, "driftcheck_asked", 0) + 1
        holds = getattr(own, "_captured_states", None) is not None
        return os.getpid(), own.rank, holds, own.driftcheck_asked

    return about


class Watch:
    """Follows the workers of one executor from its start on."""

    def __init__(self, executor, size: int) -> None:  # type: ignore[no-untyped-def]
        self._executor = executor
        self._size = size
        self.captures: list[list[bool]] = []
        self.replies: set[str] = set()
        self._rpc = executor.collective_rpc
        self._started = self._ask()
        executor.collective_rpc = self._passed_on

    def _ask(self, **how):  # type: ignore[no-untyped-def]
        return self._rpc(_question(), **how)

    def _passed_on(self, method, *args, **kwargs):  # type: ignore[no-untyped-def]
        """The consumer's own call; before it fetches states, every worker is asked whether it holds any."""
        if method == CAPTURED:
            self.captures.append([holds for _, _, holds, _ in self._ask()])
        return self._rpc(method, *args, **kwargs)

    def check(self, step) -> None:  # type: ignore[no-untyped-def]
        """Notes in a step what the workers did since the start."""
        size, now = self._size, self._ask()
        step.figure("workers", len(now))
        step.figure("calls captured", len(self.captures))
        if not step.expect(len(now) == size, f"{len(now)} workers answer instead of {size}"):
            return
        step.expect([one[1] for one in now] == list(range(size)), "the workers answer out of order")
        step.expect([one[0] for one in now] == [one[0] for one in self._started], "a worker was replaced")
        first = [True] + [False] * (size - 1)
        wrong = [held for held in self.captures if held != first]
        step.expect(not wrong, f"{len(wrong)} calls were not captured by the first worker alone: {wrong[:1]}")
        self._one_reply(step, now)

    def _one_reply(self, step, before) -> None:  # type: ignore[no-untyped-def]
        """Asks for one worker's reply at a time: what the parent gets, and which workers ran the question."""
        forms = set()
        for rank in range(self._size):
            reply = self._ask(unique_reply_rank=rank)
            forms.add("a list of one" if isinstance(reply, list) else "the value itself")
            one = reply[0] if isinstance(reply, list) else reply
            step.expect(one[1] == rank, f"worker {one[1]} replied instead of {rank}")
        step.figure("a single reply is", " or ".join(sorted(forms)))
        after = self._ask()
        ran = [new[3] - old[3] for new, old in zip(after, before, strict=True)]
        step.figure("questions that each worker ran", ", ".join(map(str, ran)))
        step.expect(set(ran) == {self._size + 1}, f"the workers ran {ran} questions of {self._size + 1}")
