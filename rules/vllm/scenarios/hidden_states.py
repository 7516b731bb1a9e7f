"""Hidden states through speculators' generator, every result against transformers by its own ids."""

from __future__ import annotations

import functools
import gc

from comparing import Rows
from tiny_models import ROUTED, Oracle, model_directory, prompts, relative_error, row_errors
from worker_watch import Watch

# Not ascending: an engine that sorts by length would go unnoticed otherwise.
MIXED = [37, 5, 61, 18, 90]
SECOND = [12, 80, 3]
LAYERS = {"llama": [2, 4, 5, 7], "deepseek": [1, 2, 3], "qwen3-vl": [2, 4, 5, 7]}
MANY_MIXED = [(97 * n) % 451 + 90 for n in range(30)]


def drive(run) -> None:  # type: ignore[no-untyped-def]
    session = Session(run)
    seed = session.seed
    with run.step("start"):
        session.start()
    mixed = prompts(seed, MIXED)
    prefix = prompts(seed + 2, [48])[0]
    session.step("mixed lengths", mixed)
    session.step("second call", prompts(seed + 1, SECOND))
    session.step("the same batch again", mixed)
    session.step("a shared prefix", [prefix + ids for ids in prompts(seed + 3, [30, 7, 19])])
    with run.step("every worker") as step:
        session.watch.check(step)
    session.step("more than 10 prompts", prompts(seed + 4, [(13 * n) % 29 + 4 for n in range(13)]))
    session.step("over 8192 tokens, equal", prompts(seed + 5, [500] * 20))
    session.step("over 8192 tokens, mixed", prompts(seed + 6, MANY_MIXED))
    session.step("more than 32 prompts", prompts(seed + 7, [(7 * n) % 23 + 4 for n in range(40)]))
    session.stop()


class Session:
    """A generator on a small model, started anew where a step left it unusable."""

    def __init__(self, run) -> None:  # type: ignore[no-untyped-def]
        self._run = run
        self.seed = int(run.parameters["seed"])
        self._dtype = run.parameters["dtype"]
        self._size = int(run.parameters["tensor-parallel-size"])
        self._generator = None
        self._oracle: Oracle | None = None
        self._reference: Oracle | None = None
        self._rows_alone = self._dtype != "float32" and run.parameters["family"] in ROUTED

    def start(self) -> None:
        import speculators.data_generation.vllm_hidden_states_generator as module

        run = self._run
        self._model = model_directory(run.shared, run.parameters["family"], self._dtype, self.seed)
        self._surround(module)
        share = 0.5 if run.device == "cpu" else float(run.parameters["gpu-share"])
        self._generator = module.VllmHiddenStatesGenerator(
            self._model,
            layer_ids=LAYERS[run.parameters["family"]],
            max_model_len=2048,
            gpu_memory_utilization=share,
            tensor_parallel_size=self._size,
        )
        self.watch = Watch(self._generator.executor, self._size)

    def stop(self) -> None:
        """Ends the workers: the next generator needs their memory."""
        generator, self._generator = self._generator, None
        executor = getattr(generator, "executor", None)
        if executor is not None:
            executor.shutdown()
        del generator, executor
        gc.collect()

    def step(self, name: str, batch: list[list[int]]) -> None:
        with self._run.step(name) as step:
            if self._generator is None:
                self.start()
            try:
                answers = self._generator.generate(batch)  # type: ignore[union-attr]
            except Exception:
                self.stop()
                raise
            self._compare(step, batch, answers)

    def _compare(self, step, batch, answers) -> None:  # type: ignore[no-untyped-def]
        if self._oracle is None:
            self._oracle = Oracle(self._model, self._run.device)
            if self._rows_alone:
                self._reference = Oracle(self._model, self._run.device, self._dtype)
        layers = list(self._generator.layer_ids)  # type: ignore[union-attr]
        if not step.expect(len(answers) == len(batch), f"{len(answers)} results for {len(batch)} prompts"):
            return
        order = [answer["input_ids"].tolist() for answer in answers]
        step.expect(order == batch, "the results are not in the order of the prompts")
        bounds = self._run.bounds
        rows = Rows(bounds[self._dtype], bounds["routed"]) if self._rows_alone else None
        worst = 0.0
        for number, (ids, answer) in enumerate(zip(order, answers, strict=True)):
            expected = self._oracle.states(ids, layers)
            again = self._reference.states(ids, layers) if self._reference else expected
            for layer, own, wanted, other in zip(
                layers, answer["hidden_states"], expected, again, strict=True
            ):
                shapes = tuple(own.shape), tuple(wanted.shape)
                told = f"result {number}, layer {layer}: shape {shapes[0]} instead of {shapes[1]}"
                if not step.expect(shapes[0] == shapes[1], told):
                    continue
                if rows is not None:
                    rows.add(row_errors(own, wanted), row_errors(other, wanted))
                error = relative_error(own, wanted)
                worst = max(worst, error) if error == error else float("inf")
        if rows is None:
            step.within("worst relative error", worst, bounds[self._dtype])
            return
        step.figure("worst relative error", worst)
        rows.check(step)

    def _surround(self, module) -> None:  # type: ignore[no-untyped-def]
        import torch

        run = self._run
        if run.wants("free memory without a GPU"):
            free = 4 << 30
            torch.cuda.mem_get_info = lambda *_: (free, free)
            if hasattr(module, "mem_get_info"):
                module.mem_get_info = torch.cuda.mem_get_info
        if run.wants("the model's own dtype"):
            if not isinstance(module.ModelConfig, functools.partial):
                module.ModelConfig = _with_dtype(module.ModelConfig, self._dtype)


def _with_dtype(original, dtype: str):  # type: ignore[no-untyped-def]
    def make(*args, **kwargs):  # type: ignore[no-untyped-def]
        return original(*args, **{**kwargs, "dtype": dtype})

    return functools.partial(make)
