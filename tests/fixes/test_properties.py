"""Whatever calls, imports and headers look like: the result parses, says what it should, and keeps the rest."""

import ast
import io
import re
import tokenize

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from driftcheck.fixes import apply_edits
from driftcheck.fixes.calls import changed_call
from driftcheck.fixes.edits import minimal_edits
from driftcheck.fixes.functions import changed_header
from driftcheck.fixes.imports import Moved, changed_import
from driftcheck.fixes.operations import AddArgument, DropArgument, ParameterWanted, RenameKeyword
from driftcheck.fixes.slices import Unparsable
from driftcheck.index.source import Source

QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
NAMES = ["alpha", "b", "gamma_2", "ö", "e"]
VALUES = [
    "1",
    "x.y[0]",
    "'a, b)'",
    "f(1, k=2)",
    "[i for i in z]",
    "lambda q: q",
    "{'k': 1}",
    '"""one\ntwo"""',
    "(1,\n   2)",
    "not a",
]
spaces = st.sampled_from(["", " ", "  "])
comments = st.sampled_from(["", "", "", "  # why", " #: ä 'quote", "  # (, )"])


@st.composite
def breaks(draw, inside: bool = True) -> str:
    """What stands between two elements: spaces, or a line end with a comment, empty lines and an indentation."""
    if not inside or draw(st.booleans()):
        return draw(spaces)
    own = draw(st.sampled_from(["", "", "\n", "\n        # a line of its own"]))
    return f"{draw(comments)}{own}\n{draw(st.sampled_from(['    ', '  ', '        ', chr(9)]))}"


@st.composite
def calls(draw) -> tuple[str, list[str]]:
    """A call and the names of its keywords."""
    count = draw(st.integers(0, 2))
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=4))
    values = st.sampled_from(VALUES)
    parts = [draw(values) for _ in range(count)]
    parts += [f"{name}{draw(spaces)}={draw(spaces)}{draw(values)}" for name in names]
    if draw(st.booleans()):
        parts.append("**rest")
    text = "call(" + draw(breaks())
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        text += part + ("" if last and draw(st.booleans()) else draw(spaces) + ",") + draw(breaks())
    return text + ")", names


def arguments(text: str) -> tuple[list[str], dict[str | None, str]]:
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    return [ast.dump(a) for a in call.args], {k.arg: ast.dump(k.value) for k in call.keywords}


def comments_of(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text + "\n").readline)
    return sorted(token.string for token in tokens if token.type == tokenize.COMMENT)


@QUICK
@given(calls(), st.data())
def test_a_dropped_argument(made: tuple[str, list[str]], data: st.DataObject) -> None:
    text, names = made
    if not names:
        return
    name = data.draw(st.sampled_from(names))
    before = arguments(text)
    try:
        after = changed_call(text, [DropArgument(name)])
    except Unparsable:
        # The only argument's own comment has nowhere to stay: the edit is refused rather than lose it.
        assert len(before[0]) + len(before[1]) == 1
        return
    del before[1][name]
    assert arguments(after) == before
    assert comments_of(after) == comments_of(text)


@QUICK
@given(calls())
def test_an_added_argument(made: tuple[str, list[str]]) -> None:
    text, _ = made
    after = changed_call(text, [AddArgument("new", "self.a.b")])
    positional, keywords = arguments(text)
    assert arguments(after) == (
        positional,
        {**keywords, "new": ast.dump(ast.parse("self.a.b", mode="eval").body)},
    )
    assert comments_of(after) == comments_of(text)
    first = [line.split("#")[0].rstrip(" \t,)") for line in text.split("\n")]
    assert all(line in after for line in first)


@QUICK
@given(calls(), st.data())
def test_a_renamed_keyword_changes_nothing_else(made: tuple[str, list[str]], data: st.DataObject) -> None:
    text, names = made
    if not names:
        return
    name = data.draw(st.sampled_from(names))
    after = changed_call(text, [RenameKeyword(name, "new")])
    assert changed_call(after, [RenameKeyword("new", name)]) == text
    assert len(after.split("\n")) == len(text.split("\n"))


@QUICK
@given(calls(), calls())
def test_minimal_edits_make_exactly_the_new_text(
    one: tuple[str, list[str]], other: tuple[str, list[str]]
) -> None:
    head, tail = "# ä\nx = ", "\ny = 1\n"
    data = (head + one[0] + tail).encode()
    edits = minimal_edits(Source("m.py", data), len(head), one[0], other[0])
    assert apply_edits(data, edits).decode() == head + other[0] + tail
    assert apply_edits(data.replace(b"\n", b"\r\n"), edits).decode() == (head + other[0] + tail).replace(
        "\n", "\r\n"
    )


@st.composite
def imports(draw) -> tuple[str, list[str]]:
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, min_size=1))
    inside = draw(st.booleans())
    text = "from old.place import " + ("(" + draw(breaks()) if inside else "")
    for number, name in enumerate(names):
        alias = draw(st.sampled_from(["", " as z" + str(number)]))
        last = number == len(names) - 1
        comma = "," if not last or (inside and draw(st.booleans())) else ""
        text += name + alias + comma + draw(breaks(inside))
    return (text + ")" if inside else text.rstrip()), names


def bound(text: str) -> dict[str, tuple[str | None, str]]:
    """What each name that the statements bind is taken from."""
    found = {}
    for statement in ast.parse(text).body:
        assert isinstance(statement, ast.ImportFrom)
        for alias in statement.names:
            found[alias.asname or alias.name] = (statement.module, alias.name)
    return found


@QUICK
@given(imports(), st.data())
def test_moved_names_are_bound_as_before(made: tuple[str, list[str]], data: st.DataObject) -> None:
    text, names = made
    moving = data.draw(st.lists(st.sampled_from(names), unique=True, min_size=1))
    renamed = data.draw(st.booleans())
    new = {name: f"{name}_now" if renamed else name for name in moving}
    after = changed_import(text, "", [Moved(name, "new.place", new[name]) for name in moving])
    wanted = {
        name: ("new.place", new[source[1]]) if source[1] in new else source
        for name, source in bound(text).items()
    }
    assert bound(after) == wanted
    assert comments_of(after) == comments_of(text)


@st.composite
def headers(draw) -> str:
    annotation = st.sampled_from(["", ": int", ": 'list[int] | None'", ": dict[str, int]"])
    parts = ["self"] + [f"p{n}{draw(annotation)}" for n in range(draw(st.integers(0, 2)))]
    parts += [f"d{n}{draw(annotation)} = {n}" for n in range(draw(st.integers(0, 2)))]
    if draw(st.booleans()):
        parts.insert(draw(st.integers(1, len(parts))), "/")
    star = draw(st.sampled_from(["", "*rest", "*"]))
    keywords = [f"k{n}=1" for n in range(draw(st.integers(1 if star == "*" else 0, 2)))] if star else []
    parts += [star, *keywords] if star else []
    parts += ["**more"] if draw(st.booleans()) else []
    text = "def f(" + draw(breaks())
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        text += part + ("" if last and draw(st.booleans()) else ",") + draw(breaks())
    return text + ")" + draw(st.sampled_from(["", " -> int", " -> 'a: b'"])) + ":"


def parameters(text: str) -> ast.arguments:
    function = ast.parse(text + " pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    return function.args


@QUICK
@given(headers(), st.sampled_from(["ordinary", "keyword"]))
def test_a_taken_parameter(text: str, kind: str) -> None:
    after = changed_header(text, [ParameterWanted("new", kind, "None")])  # type: ignore[arg-type]
    before, now = parameters(text), parameters(after)
    added = [a for a in [*now.args, *now.kwonlyargs] if a.arg == "new"]
    assert len(added) == 1
    for group in (now.args, now.kwonlyargs):
        group[:] = [a for a in group if a.arg != "new"]
    assert [a.arg for a in now.posonlyargs + now.args] == [a.arg for a in before.posonlyargs + before.args]
    assert [a.arg for a in now.kwonlyargs] == [a.arg for a in before.kwonlyargs]
    assert (now.vararg and now.vararg.arg, now.kwarg and now.kwarg.arg) == (
        before.vararg and before.vararg.arg,
        before.kwarg and before.kwarg.arg,
    )
    assert comments_of(after + " pass") == comments_of(text + " pass")
    assert re.sub(r"\s", "", text.split("(", 1)[0]) == re.sub(r"\s", "", after.split("(", 1)[0])
