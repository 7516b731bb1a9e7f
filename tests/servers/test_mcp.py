"""The MCP server, spoken to by the official package's own client over standard input and output."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from lint.project import Project

mcp = pytest.importorskip("mcp", reason="the mcp extra is not installed")
if not hasattr(mcp, "Client"):
    pytest.skip("needs mcp 2", allow_module_level=True)


def talk(conversation: Callable[[Any], Awaitable[None]], *options: str) -> None:
    async def main() -> None:
        server = mcp.StdioServerParameters(
            command=sys.executable, args=["-m", "driftcheck.cli", "mcp", *options], env=dict(os.environ)
        )
        async with asyncio.timeout(120), mcp.Client(server) as client:
            await conversation(client)

    asyncio.run(main())


def text(result: Any) -> str:
    return "".join(part.text for part in result.content)


def test_the_tools(project: Project) -> None:
    before = project.user.read_text()
    pair = {"against": str(project.new), "known_good": str(project.old)}

    async def conversation(client: Any) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"check", "fix", "show", "explain"}
        assert all(tool.annotations.read_only_hint for tool in tools.values())
        assert all(tool.description for tool in tools.values())
        answer = await client.call_tool("check", {"consumer": str(project.root), **pair})
        assert not answer.is_error
        (one,) = answer.structured_content["findings"]
        assert (one["code"], one["path"], one["line"]) == ("DC201", "dock/__init__.py", 5)
        answer = await client.call_tool("fix", {"consumer": str(project.root), **pair})
        assert '-    lift("crate", fast=True)\n+    lift("crate")' in text(answer), text(answer)
        answer = await client.call_tool(
            "show", {"symbol": "gantry.lower", "versions": [str(project.old), str(project.new)]}
        )
        assert "`def lower(load): ...`" in text(answer)
        assert "not there" in text(answer)
        answer = await client.call_tool("explain", {"code": "unknown-keyword"})
        assert text(answer).startswith("# DC201 unknown-keyword (error)")

    talk(conversation)
    assert project.user.read_text() == before, "a dry run"


def test_mistakes_are_answers(project: Project) -> None:
    async def conversation(client: Any) -> None:
        for name, arguments, words in (
            ("check", {"consumer": "none/such.py", "against": str(project.new)}, "no such file"),
            ("check", {"consumer": str(project.root)}, "--against"),
            ("explain", {"code": "DC999"}, "did you mean"),
        ):
            answer = await client.call_tool(name, arguments)
            assert answer.is_error
            assert words in text(answer)

    talk(conversation)


def test_the_options_are_defaults(project: Project) -> None:
    async def conversation(client: Any) -> None:
        answer = await client.call_tool("check", {"consumer": str(project.root)})
        assert len(answer.structured_content["findings"]) == 1

    talk(conversation, "--against", str(project.new))
