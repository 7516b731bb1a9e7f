"""Strategies: a small library in two releases and code that uses it in every way that a check looks at."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = ("lift", "turn", "Arm", "Hook", "Kind", "LIMIT", "tools", "base")
PARAMETERS = ("weight", "angle", "slow", "name", "size")
VALUES = (
    "1",
    "None",
    "'a'",
    "(1, 2)",
    "[]",
    "LIMIT",
    "Kind.A",
    "lambda: 0",
    "...",
    "float('nan')",
    "-1",
    "{'a': 1}",
)
ANNOTATIONS = (
    "int",
    "str | None",
    "'Arm'",
    "list[int]",
    "Hook",
    "tuple[int, str]",
    "unknown.Thing",
    "list['Arm']",
)

names, parameters = st.sampled_from(NAMES), st.sampled_from(PARAMETERS)
values, annotations = st.sampled_from(VALUES), st.sampled_from(ANNOTATIONS)


@st.composite
def signatures(draw: st.DrawFn, first: str = "") -> str:
    """The parameters of a function, always well-formed."""
    chosen = draw(st.lists(parameters, unique=True, max_size=4))
    star = draw(st.integers(0, len(chosen)))
    parts, seen_default = [first] if first else [], False
    for at, name in enumerate(chosen):
        if at == star and draw(st.booleans()):
            parts.append(draw(st.sampled_from(("*", "*args"))))
            seen_default = False
        note = f": {draw(annotations)}" if draw(st.booleans()) else ""
        seen_default = seen_default or draw(st.booleans())
        parts.append(f"{name}{note}" + (f" = {draw(values)}" if seen_default else ""))
    if draw(st.integers(0, 4)) == 0:
        parts.append("**kwargs")
    return ", ".join(parts)


@st.composite
def functions(draw: st.DrawFn, name: str, indent: str = "", first: str = "") -> str:
    """A function or method with a body that a summary can be made of."""
    decorator = draw(
        st.sampled_from(
            (
                "",
                "",
                "@property\n",
                "@staticmethod\n",
                "@classmethod\n",
                "@unknown\n",
                "@deprecated('gone')\n",
            )
        )
    )
    if not first:
        decorator = decorator if "unknown" in decorator or "deprecated" in decorator else ""
    colour = draw(st.sampled_from(("", "", "", "async ")))
    bodies = ("...", f"return {draw(values)}", "raise ValueError('no')", "yield 1", f"return [{draw(names)}]", f"return {draw(names)}()",
              "if self.state is not None:\n    raise RuntimeError('state')\nself.state = 1\nreturn None", "return self", "return await other()")  # fmt: skip
    body = draw(st.sampled_from(bodies))
    text = f"{decorator}{colour}def {name}({draw(signatures(first))}):\n    " + body.replace("\n", "\n    ")
    return "".join(f"{indent}{line}\n" for line in text.split("\n"))


@st.composite
def classes(draw: st.DrawFn, name: str) -> str:
    """A class with fields and methods."""
    head = draw(st.sampled_from(("", "", "@dataclass\n", "@dataclass(frozen=True)\n")))
    base = draw(
        st.sampled_from(
            ("", "", "(base)", "(Arm)", "(Enum)", "(NamedTuple)", "(Generic[T])", "(unknown)", "(ABC)")
        )
    )
    fields = draw(st.lists(st.tuples(parameters, annotations), max_size=3, unique_by=lambda one: one[0]))
    lines = [f"{head}class {name}{base}:\n    x = 1\n"]
    lines += [
        f"    {field}: {note}" + (f" = {draw(values)}\n" if draw(st.booleans()) else "\n")
        for field, note in fields
    ]
    for method in draw(
        st.lists(st.sampled_from(("__init__", "run", "stop", "__call__")), max_size=3, unique=True)
    ):
        lines.append(draw(functions(method, "    ", "self")))
    return "".join(lines)


@st.composite
def libraries(draw: st.DrawFn) -> dict[str, str]:
    """The files of one release of ``gantry``."""
    header = "from dataclasses import dataclass\nfrom enum import Enum\nfrom typing import *\nfrom warnings import deprecated\n"
    files = {}
    for path in ("gantry/__init__.py", "gantry/tools.py", "gantry/base.py"):
        pieces = [header] if draw(st.booleans()) else []
        for name in draw(st.lists(names, max_size=5, unique=True)):
            kind = draw(st.sampled_from(("function", "class", "value", "import", "guarded", "star")))
            if kind == "function":
                pieces.append(draw(functions(name)))
            elif kind == "class":
                pieces.append(draw(classes(name)))
            elif kind == "value":
                pieces.append(f"{name} = {draw(values)}\n")
            elif kind == "import":
                pieces.append(
                    f"from .{draw(st.sampled_from(('tools', 'base')))} import {draw(names)} as {name}\n"
                )
            elif kind == "guarded":
                pieces.append(f"try:\n    from .base import {name}\nexcept ImportError:\n    {name} = None\n")
            else:
                pieces.append("from .tools import *\n")
        if draw(st.integers(0, 3)) or path.endswith("__init__.py"):
            files[path] = "".join(pieces)
    return files


@st.composite
def consumers(draw: st.DrawFn) -> str:
    """A module that uses the library."""
    lines = [
        "import gantry",
        f"from gantry import {draw(names)} as got",
        f"from gantry.tools import {draw(names)} as tool",
    ]
    if draw(st.booleans()):
        lines = [f"try:\n    {lines[1]}\nexcept ImportError:\n    got = None", lines[0], lines[2]]
    for _ in range(draw(st.integers(1, 5))):
        name, other = draw(names), draw(names)
        given = ", ".join(
            [
                *draw(st.lists(values, max_size=2)),
                *(f"{key}={draw(values)}" for key in draw(st.lists(parameters, max_size=2, unique=True))),
            ]
        )
        lines.append(draw(st.sampled_from((
            f"gantry.{name}({given})", f"x = gantry.{name}({given}).{other}", f"got({given})[0]",
            f"class Mine{len(lines)}(gantry.{name}):\n    def run({draw(signatures('self'))}):\n        return super().run()",
            f"def use{len(lines)}(arm: gantry.{name}):\n    if arm.run():\n        a, b = arm.run({given})\n    return arm.{other}",
            f"gantry.{name} = lambda {draw(signatures())}: None", f"getattr(gantry, '{name}').{other}", f"setattr(gantry.{name}, 'run', tool)",
            f"if hasattr(gantry, '{name}'):\n    gantry.{name}({given})", f"async def wait{len(lines)}():\n    return await gantry.{name}({given})",
            f"for one in gantry.{name}({given}): one.{other}", f"import gantry.{name}", f"with gantry.{name}({given}) as held: held.{other}({given})",
        ))))  # fmt: skip
    return "\n".join(lines) + "\n"
