"""The formats, on a report with every field and on the awkward ones."""

from __future__ import annotations

import json

import pytest
from syrupy.assertion import SnapshotAssertion

from driftcheck.model import Chain, Edit, Evidence, Finding, Fix, Proof, Related, Report, Side, Step
from driftcheck.report import FORMATS, Context, render
from driftcheck.report.escape import visible

SOURCE = b"""from gantry import Request, drop


def ask(name):
    request = Request(name, stop_id=2)
    return drop(request)
"""


def finding(**changes: object) -> Finding:
    facts: dict[str, object] = {
        "code": "DC201",
        "name": "unknown-keyword",
        "severity": "error",
        "confidence": "certain",
        "status": "introduced",
        "path": "dock/ask.py",
        "line": 5,
        "column": 29,
        "end_line": 5,
        "end_column": 38,
        "symbol": "gantry.request.Request",
        "message": "Request takes no keyword 'stop_id' on 2",
        "evidence": (
            Evidence("1", "gantry/request.py", 4, "    def __init__(self, name, stop_id=None):"),
            Evidence("2", "gantry/request.py", 9, "    def __init__(self, name):"),
        ),
    }
    return Finding(**{**facts, **changes})  # type: ignore[arg-type]


def full() -> Finding:
    return finding(
        code="DC406",
        name="default-changed",
        severity="warning",
        confidence="likely",
        status="preexisting",
        line=6,
        column=12,
        end_line=6,
        end_column=25,
        related=(Related("dock/ask.py", 4, "where it strikes"),),
        since="1.5",
        contract="gantry/steps.toml",
        fix=Fix("unsafe", "drop the call", (Edit("dock/ask.py", 6, 12, 6, 25, "request"),)),
        proof=Proof("confirmed", "ask-once"),
    )


def report(*findings: Finding, known_good: bool = True, **summary: int) -> Report:
    return Report(
        driftcheck="0.1.0",
        consumer=Side(spec="dock==3", version="3"),
        target=Side(spec="../gantry", version="2"),
        known_good=Side(spec="gantry==1", version="1") if known_good else None,
        summary=dict(summary),
        findings=list(findings),
    )


def context(source: bytes = SOURCE, **changes: object) -> Context:
    def read(path: str) -> bytes:
        if path != "dock/ask.py":
            raise FileNotFoundError(path)
        return source

    return Context(read=read, **changes)  # type: ignore[arg-type]


HINT = {"DC201": "Drop the keyword if the release works the value out itself, or pass it under its new name."}


@pytest.mark.parametrize("name", FORMATS)
def test_formats(name: str, snapshot: SnapshotAssertion) -> None:
    repaired = finding(status="fixed", line=2)
    assert render(name, report(finding(), full(), repaired), context(hints=HINT, hidden=2)) == snapshot


@pytest.mark.parametrize("color", [False, True])
def test_text_wraps_to_the_terminal(color: bool, snapshot: SnapshotAssertion) -> None:
    text = render("text", report(finding(), full()), context(hints=HINT, width=60, color=color))
    assert text == snapshot
    if not color:
        assert "\x1b" not in text
        assert max(map(len, text.splitlines())) <= 60


def test_without_a_width_no_line_is_wrapped() -> None:
    long = "word " * 100
    text = render("text", report(finding(message=long)), context())
    assert long.strip() in text


def test_one_line_where_nothing_is_found() -> None:
    assert render("text", report(uses=3), context()) == "No drift: dock==3 on ../gantry (2); known-good 1\n"
    assert "never mentions ../gantry (2)" in render("text", report(uses=0), context())
    assert "no known-good version" in render("concise", report(known_good=False), context())


def test_text_tells_what_strikes_after_what() -> None:
    told = report(finding(), full())
    steps = tuple(Step(one.path, one.line, one.column, one.code) for one in reversed(told.findings))
    told.strikes = (Chain("dock.ask", steps),)
    lines = render("text", told, context()).splitlines()
    at = lines.index("order: when dock.ask() runs, in turn")
    assert [line.split()[:2] for line in lines[at + 1 : at + 3]] == [
        [f"{n}.", step.code] for n, step in enumerate(steps, 1)
    ]


def test_json_order_and_content() -> None:
    text = render("json", report(finding(), full()), context())
    decoded = json.loads(text)
    assert list(decoded) == [
        "schema",
        "driftcheck",
        "consumer",
        "target",
        "known_good",
        "providers",
        "summary",
        "findings",
        "strikes",
    ]
    assert decoded["schema"] == "driftcheck/1"
    assert list(decoded["findings"][0])[:5] == ["code", "name", "severity", "confidence", "status"]
    assert decoded["findings"][0]["fix"] is None
    assert text.endswith("}\n")


def caret_line(text: str) -> tuple[str, str]:
    lines = text.splitlines()
    index = next(number for number, line in enumerate(lines) if set(line.partition("|")[2].strip()) == {"^"})
    return lines[index - 1].partition("| ")[2], lines[index].partition("| ")[2]


@pytest.mark.parametrize(
    ("line", "anchor"),
    [
        ("x = f(limit=1)", "limit"),
        ("\tx = f(limit=1)", "limit"),
        ('x = g("\t", limit=1)', "limit"),
        ('x = g("漢字", limit=1)', "limit"),
        ('x = g("e\u0301", limit=1)', "limit"),
        ('x = g("\u202e", limit=1)', "limit"),
        ('x = g("\x1b[31m", limit=1)', "limit"),
        ("ünï = f(limit=1)", "limit"),
    ],
)
def test_the_caret_is_under_the_anchor(line: str, anchor: str) -> None:
    from rich.cells import cell_len

    column = line.index(anchor) + 1
    one = finding(line=1, column=column, end_line=1, end_column=column + len(anchor))
    shown, carets = caret_line(render("text", report(one), context(line.encode())))
    assert cell_len(shown[: shown.index(anchor)]) == len(carets) - len(carets.lstrip())
    assert carets.count("^") == len(anchor)
    assert shown == visible(line).strip()


@pytest.mark.parametrize("width", [40, 60, 80])
@pytest.mark.parametrize("before", [0, 30, 300])
def test_long_lines_are_cut_around_the_anchor(width: int, before: int) -> None:
    line = "a" * before + "f(limit=1)" + "b" * 300
    one = finding(line=1, column=before + 3, end_line=1, end_column=before + 8)
    text = render("text", report(one), context(line.encode(), width=width))
    shown, carets = caret_line(text)
    start = carets.index("^")
    assert shown[start : start + 5] == "limit"
    assert len(shown) <= width


def test_an_anchor_over_several_lines_is_marked_to_the_end_of_its_first() -> None:
    source = b"x = f(\n    1,\n)\n"
    one = finding(line=1, column=5, end_line=3, end_column=2)
    assert caret_line(render("text", report(one), context(source))) == ("x = f(", "    ^^")


@pytest.mark.parametrize(
    "source",
    [
        b"# -*- coding: latin-1 -*-\nx = '\xe9'; f()\n",
        b"\xef\xbb\xbf#\nx = '\xc3\xa9'; f()\n",
        b"#\rx = '\xff'; f()\r",
    ],
)
def test_encodings_and_line_ends(source: bytes) -> None:
    one = finding(line=2, column=10, end_line=2, end_column=13)
    shown, carets = caret_line(render("text", report(one), context(source)))
    assert shown[carets.index("^") :] == "f()"


def test_a_form_feed_or_line_separator_is_no_line_end() -> None:
    source = "a = 1\x0c\u2028\nf()\n".encode()
    one = finding(line=2, column=1, end_line=2, end_column=4)
    assert caret_line(render("text", report(one), context(source)))[0] == "f()"


def test_a_file_that_cannot_be_read_has_no_frame() -> None:
    text = render("text", report(finding(path="dock/gone.py")), context())
    assert "dock/gone.py:5:29" in text
    assert "^" not in text


@pytest.mark.parametrize("name", ["text", "concise"])
def test_nothing_from_the_sources_steers_the_terminal(name: str) -> None:
    nasty = "\x1b]0;owned\x07\u202e\u2066\r\n\x9b1m\udc80[bold]red[/bold]:smile:"
    one = finding(
        path=nasty,
        symbol=nasty,
        message=nasty,
        evidence=(Evidence(nasty, nasty, 1, nasty),),
        related=(Related(nasty, 1, nasty),),
        since=nasty,
        contract=nasty,
        fix=Fix("safe", nasty),
        proof=Proof(nasty, nasty),
    )
    text = render(name, report(one), Context(read=lambda path: nasty.encode("utf-8", "replace"), width=50))
    assert text == text.encode("utf-8", "strict").decode()
    assert not set(text) & set("\x1b\x07\u202e\u2066\r\x9b")
    assert "[bold]red[/bold]:smile:" in text.replace("\n", "").replace(" ", "")


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ValueError, match="allowed: text, concise, json"):
        render("yaml", report(), context())
