"""Tools over the Model Context Protocol, all read-only: check, fix (as a diff), show, explain."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import anyio
import msgspec
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from driftcheck import __version__
from driftcheck.engine.request import Request
from driftcheck.engine.work import run
from driftcheck.rulesdb import RulesError, load_codes
from driftcheck.sources import SourceError

_READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True)
_INSTRUCTIONS = (
    "driftcheck says what of some Python code breaks on another version of a library, why, and what the "
    "edit is. A spec is a path, an installed name, or a release (name==X, name@latest). Nothing that it "
    "reads is run and no file is changed."
)


def make_server(request: Request) -> MCPServer[Any]:
    """The server with its tools; ``request`` holds the options that it was started with."""
    server: MCPServer[Any] = MCPServer("driftcheck", version=__version__, instructions=_INSTRUCTIONS)

    @server.tool(annotations=_READ_ONLY)
    async def check(
        consumer: str, against: str | None = None, known_good: str | None = None, show_possible: bool = False
    ) -> dict[str, Any]:
        """What of a consumer's usage of a library breaks on a version of it.

        consumer: the code, as a spec. against: the library version asked about, as a spec; without it
        the consumer's [tool.driftcheck.providers]. known_good: a version that the code works with.
        Returns the report that `driftcheck check --output-format json` prints.
        """
        asked = _asked(request, consumer, against, known_good)
        return await _threaded(lambda: _report(asked, show_possible))

    @server.tool(annotations=_READ_ONLY)
    async def fix(
        consumer: str,
        against: str | None = None,
        known_good: str | None = None,
        unsafe_fixes: bool = False,
    ) -> str:
        """The edits that would repair a consumer, as a unified diff; no file is changed.

        Arguments as for check. unsafe_fixes: also edits that only static reasons speak for.
        """
        asked = _asked(request, consumer, against, known_good)
        return await _threaded(lambda: _diff(asked, unsafe_fixes))

    @server.tool(annotations=_READ_ONLY)
    async def show(symbol: str, versions: list[str]) -> str:
        """Where each version of a library defines a symbol, and the line that does.

        symbol: a dotted name (vllm.config.SchedulerConfig). versions: specs (vllm==0.16.0).
        """
        return await _threaded(lambda: _shown(request, symbol, versions))

    @server.tool(annotations=_READ_ONLY)
    async def explain(code: str) -> str:
        """The page of a check: what it finds, why that breaks, what to use instead.

        code: DC201, or a name.
        """
        return await _threaded(lambda: _page(code))

    return server


async def _threaded(work: Any) -> Any:
    """Work in a thread; what cannot be answered becomes the tool's error."""

    def safely() -> Any:
        try:
            return work()
        except (SourceError, RulesError) as error:
            raise ToolError(str(error)) from error

    return await anyio.to_thread.run_sync(safely)


def _asked(request: Request, consumer: str, against: str | None, known_good: str | None) -> Request:
    return replace(
        request,
        consumers=(consumer,),
        against=against or request.against,
        known_good=known_good or request.known_good,
    )


def _report(request: Request, show_possible: bool) -> dict[str, Any]:
    report = run(request, lambda stage: None).report
    if not show_possible:
        kept = [one for one in report.findings if one.confidence != "possible"]
        report = msgspec.structs.replace(report, findings=kept)
    found: dict[str, Any] = msgspec.to_builtins(report)
    return found


def _diff(request: Request, unsafe: bool) -> str:
    from driftcheck.engine.fixing import fix

    fixed = fix(request, unsafe, None)
    return fixed.diff() + "\n".join(["", *fixed.lines(would=True)]).lstrip()


def _shown(request: Request, symbol: str, versions: list[str]) -> str:
    from driftcheck.servers.about import look_up
    from driftcheck.sources import open_tree

    trees = [open_tree(spec, role="provider", python=request.python) for spec in versions]
    return "\n".join([f"**{symbol}**", "", *(look_up(symbol, tree).markdown() for tree in trees)])


def _page(code: str) -> str:
    from driftcheck.engine.selectors import suggestion
    from driftcheck.rulesdb.texts import load_texts

    codes = load_codes()
    named = {info.name: info.code for info in codes.values()}
    wanted = code.upper() if code.upper() in codes else named.get(code.lower())
    if wanted is None:
        raise SourceError(f"no check {code!r}; {suggestion(code, codes)}")
    text = load_texts([wanted])[wanted]
    return f"# {text.code} {text.name} ({text.severity})\n\n{text.help}"


def serve(request: Request) -> None:
    """Run on standard input and output until the client goes."""
    make_server(request).run("stdio")
