"""Results as one self-contained page; the chain is drawn, the attempts are a table of steps."""

from __future__ import annotations

from html import escape
from importlib.resources import files

from driftcheck.validate.portable.outcome import Attempt
from driftcheck.validate.portable.results import ChainLink, Results
from driftcheck.validate.portable.summary import OVERALL, foretold, parameters

_LABELS = {
    "passed": "passed",
    "differs": "wrong result",
    "failed": "failed",
    "not-run": "–",
}


def html_report(results: Results) -> str:
    """The page as text; nothing of it is loaded from elsewhere."""
    plan = results.plan
    target = f"{plan.provider.module} {plan.provider.version or ''}".strip()
    title = f"{plan.consumer.spec} on {target}"
    style = files("driftcheck.validate").joinpath("report.css").read_text(encoding="utf-8")
    parts = [
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{escape(title)}</title>",
        '<meta name=viewport content="width=device-width">',
        f"<style>{style}</style>",
        f"<h1>{escape(title)}</h1>",
        f"<p class=about>{escape(f'{plan.scenario.title} ({plan.scenario.name}, {results.device})')}</p>",
        _verdict(results),
        _chain(results),
        _claims(results),
        _fixes(results),
        _attempts(results),
        _surroundings(results),
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _verdict(results: Results) -> str:
    verdicts = results.verdicts
    lines = [
        f"<p class='overall {escape(verdicts.overall)}'><b>{escape(OVERALL.get(verdicts.overall, ''))}</b>"
    ]
    lines.append(f"<br>{escape(verdicts.summary)}</p>")
    if results.problem:
        lines.append(f"<p class=partial>partial ({escape(results.state)}): {escape(results.problem)}</p>")
    for word, texts in (
        ("missed by analysis", verdicts.missed),
        ("outside", verdicts.outside),
        ("bug of the consumer", verdicts.consumer_bugs),
        ("beyond ordinary use", verdicts.beyond),
    ):
        lines += [f"<p class=loud><b>{word}</b> {escape(text)}</p>" for text in texts]
    return "".join(lines)


def _chain(results: Results) -> str:
    if not results.chain:
        return ""
    boxes = []
    for number, link in enumerate(results.chain, 1):
        boxes.append(_link(number, link, results))
    return f"<h2>Chain</h2><ol class=chain>{''.join(boxes)}</ol>"


def _link(number: int, link: ChainLink, results: Results) -> str:
    if not link.failure:
        return "<li><div class='box works'>works</div></li>"
    claims = foretold(link, results) or "no finding foretold it"
    told = f"<span>{number}</span>{escape(link.failure)}<small>{escape(claims)}</small>"
    failed = f"<div class='box failure'>{told}</div>"
    if link.fix is None:
        return f"<li>{failed}<div class='box stuck'>nothing helps</div></li>"
    fix = results.plan.fix(link.fix)
    how = "" if link.by == "mapping" else " (found by trial)"
    cure = f"<div class='box fix'>{escape(fix.description)}<small>{escape(fix.id)}{how}</small></div>"
    return f"<li>{failed}{cure}</li>"


def _claims(results: Results) -> str:
    rows = []
    for claim in results.plan.claims:
        verdict = results.verdicts.claims.get(claim.id)
        if verdict is not None:
            place = f"{claim.path}:{claim.line}"
            cells = [place, claim.message or claim.symbol, verdict.detail]
            rows.append(
                f"<tr><td class='mark {verdict.verdict}'>{verdict.verdict}</td>"
                f"<td class=mark>{claim.code}</td>"
                + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
                + "</tr>"
            )
    return _table("Findings", ("verdict", "code", "place", "finding", "what the run shows"), rows)


def _fixes(results: Results) -> str:
    rows = []
    for fix in results.plan.fixes:
        verdict = results.verdicts.fixes.get(fix.id)
        if verdict is not None:
            name = f"{fix.id} (instead of {fix.instead_of})" if fix.instead_of else fix.id
            words = verdict.words
            cells = [name, fix.description, verdict.detail]
            rows.append(
                f"<tr><td class='mark {words[0]}'>{', '.join(words)}</td>"
                + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
                + "</tr>"
            )
    return _table("Fixes", ("verdict", "fix", "what it does", "what the run shows"), rows)


def _attempts(results: Results) -> str:
    attempts = [one for one in results.attempts if one.drive == results.plan.scenario.name]
    names = list(dict.fromkeys(step.name for one in attempts for step in one.steps))
    rows = []
    for one in attempts:
        cells = "".join(_step(one, name) for name in names)
        rows.append(
            f"<tr><th>{escape(_made_with(one, results))}</th>{cells}<td>{one.seconds:.0f} s</td></tr>"
        )
    return _table("Attempts", ("fixes", *names, "time"), rows)


def _made_with(attempt: Attempt, results: Results) -> str:
    if attempt.on != "target":
        return f"on known-good {results.plan.known_good or ''}"
    every = {fix.id for fix in results.plan.cures}
    made = set(attempt.fixes)
    if not made:
        return "none"
    if made == every:
        return "all"
    left, added = every - made, made - every
    if len(left) == 1:
        return f"all but {left.pop()}" + (f", {added.pop()} instead" if added else "")
    return " + ".join(attempt.fixes)


def _step(attempt: Attempt, name: str) -> str:
    status = attempt.step(name)
    figures = next((one.figures for one in attempt.steps if one.name == name), {})
    told = "; ".join(f"{key}: {_figure(value)}" for key, value in figures.items())
    return f"<td class='mark {status}' title='{escape(told, quote=True)}'>{_LABELS.get(status, status)}</td>"


def _figure(value: object) -> str:
    return f"{value:.2g}" if isinstance(value, float) else str(value)


def _surroundings(results: Results) -> str:
    rows = [
        ("command", results.command),
        ("plan", results.digest),
        ("consumer", results.plan.consumer.sha256),
        ("parameters", parameters(results)),
    ]
    for key, value in results.environment.items():
        if isinstance(value, dict):
            value = ", ".join(f"{name} {item}" for name, item in value.items())
        elif isinstance(value, list):
            value = "; ".join(
                f"{one['requirement']} is required, {one['installed']} is installed" for one in value
            )
        rows.append((key, str(value)))
    used = {name for one in results.attempts for name in one.shims}
    rows += [(f"shim: {shim.name}", shim.reason) for shim in results.plan.scenario.shims if shim.name in used]
    rows += [
        (f"bound: {name}", f"{bound.value:g}. {bound.reason}")
        for name, bound in results.plan.scenario.bounds.items()
    ]
    cells = [f"<tr><th>{escape(key)}</th><td>{escape(value)}</td></tr>" for key, value in rows if value]
    return _table("How it was run", (), cells)


def _table(title: str, heads: tuple[str, ...], rows: list[str]) -> str:
    if not rows:
        return ""
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    return (
        f"<h2>{escape(title)}</h2><div class=scroll><table>"
        + (f"<thead><tr>{head}</tr></thead>" if heads else "")
        + f"<tbody>{''.join(rows)}</tbody></table></div>"
    )
