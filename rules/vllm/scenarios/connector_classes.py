"""hs-connectors' connector classes against their base: import, completeness, hooks, and what is written."""

from __future__ import annotations

import importlib
import inspect
import os
from types import FunctionType

CLASSES = {
    "hs_connectors.fp8_hidden_states_connector": "FP8HiddenStatesConnector",
    "hs_connectors.mooncake_hidden_states_connector": "MooncakeHiddenStatesConnector",
}
# What each class overrides for the base to call; everything public that it shares with its base besides.
HOOKS = {"FP8HiddenStatesConnector": ["_write_tensors"]}


def drive(run) -> None:  # type: ignore[no-untyped-def]
    found = []
    for module, name in CLASSES.items():
        with run.step(f"import {name}", "core"):
            found.append(getattr(importlib.import_module(module), name))
    for connector in found:
        with run.step(f"{connector.__name__} is complete") as step:
            missing = sorted(getattr(connector, "__abstractmethods__", ()))
            step.expect(not missing, f"abstract methods without a body: {', '.join(missing)}")
        with run.step(f"{connector.__name__} is called") as step:
            _hooks(step, connector)
    with run.step("quantised states are written") as step:
        _written(run, step, found[0])


def _hooks(step, connector) -> None:  # type: ignore[no-untyped-def]
    """Every hook must be one that the base has, takes what the base passes, and that the base calls."""
    bases = [base for base in connector.__mro__[1:] if base is not object]
    shared = [
        name
        for name in vars(connector)
        if not name.startswith("_") and any(name in vars(base) for base in bases)
    ]
    for name in [*HOOKS.get(connector.__name__, []), *shared]:
        base = next((base for base in bases if name in vars(base)), None)
        if not step.expect(base is not None, f"{name} overrides nothing"):
            continue
        own, theirs = getattr(connector, name), getattr(base, name)
        if callable(own) and callable(theirs):
            problem = _unaccepted(own, theirs)
            step.expect(problem is None, f"{name}: {problem}")
    for name in HOOKS.get(connector.__name__, []):
        step.expect(_referred(bases, name), f"nothing in the base calls {name}")


def _unaccepted(own, theirs) -> str | None:  # type: ignore[no-untyped-def]
    """What a call that fits the base's signature would trip over in the override."""
    parameters = list(inspect.signature(theirs).parameters.values())
    positional = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    keywords = {one.name: None for one in parameters if one.kind is one.KEYWORD_ONLY}
    try:
        inspect.signature(own).bind(*positional, **keywords)
    except TypeError as error:
        return str(error)
    return None


def _referred(bases, name: str) -> bool:  # type: ignore[no-untyped-def]
    functions = [
        member for base in bases for member in vars(base).values() if isinstance(member, FunctionType)
    ]
    return any(name in function.__code__.co_names for function in functions)


class _Done:
    """Stands for the event of a finished copy."""

    def synchronize(self) -> None:
        pass


def _written(run, step, connector) -> None:  # type: ignore[no-untyped-def]
    import torch
    from hs_connectors.fp8_utils import SCALES_KEY, dequantize_fp8_tensor
    from safetensors.torch import load_file

    torch.manual_seed(int(run.parameters["seed"]))
    states = torch.randn(7, 3, 64)
    path = os.path.join(run.scratch, "states.safetensors")
    connector._write_tensors({"hidden_states": states, "token_ids": torch.arange(7)}, _Done(), path, None)
    read = load_file(path)
    step.expect(
        read["hidden_states"].dtype == torch.float8_e4m3fn, f"written as {read['hidden_states'].dtype}"
    )
    again = dequantize_fp8_tensor(read["hidden_states"], read[SCALES_KEY], torch.float32)
    error = float(torch.linalg.norm(again.float() - states) / torch.linalg.norm(states))
    step.within("relative error", error, run.bounds["float8"])
