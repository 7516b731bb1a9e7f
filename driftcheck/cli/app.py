"""The group of commands; a command's module is imported when the command is asked for."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from importlib import import_module

import click
from click.shell_completion import CompletionItem

# Name: module, and the help line that a list of commands shows without importing it.
COMMANDS = {
    "check": ("driftcheck.cli.check", "What of your usage breaks on a version of a library."),
    "fix": ("driftcheck.cli.fix", "Rewrites your code so that it works on a version of a library."),
    "audit": ("driftcheck.cli.audit", "Every use on every release of a library, and since when it drifts."),
    "show": ("driftcheck.cli.show", "Where a symbol of a library is, what it is, and how it changed."),
    "impact": ("driftcheck.cli.impact", "Which consumers a change of a library breaks."),
    "validate": ("driftcheck.cli.validate", "Run it, before and after the fixes, and let the run decide."),
    "rules": ("driftcheck.cli.rules", "The checks that there are, and what each means."),
    "config": ("driftcheck.cli.config", "The configuration in force, and where it is from."),
    "cache": ("driftcheck.cli.cache", "What driftcheck keeps on disk."),
    "lsp": ("driftcheck.cli.lsp", "A language server: findings, fixes and hover in an editor."),
    "mcp": ("driftcheck.cli.mcp", "A Model Context Protocol server with read-only tools."),
    "completion": ("driftcheck.cli.completion", "The script that completes driftcheck's words in a shell."),
}


class LazyGroup(click.Group):
    """A group that knows its commands' names and help lines, and imports one only to run it."""

    def __init__(self, lazy: Mapping[str, tuple[str, str]], **attributes: object) -> None:
        super().__init__(**attributes)  # type: ignore[arg-type]
        self._lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._lazy:
            return None
        command: click.Command = import_module(self._lazy[cmd_name][0]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in self._lazy and not name.startswith("-"):
            near = difflib.get_close_matches(name, self._lazy, 1)
            hint = f" Did you mean {near[0]!r}?" if near else f" Commands: {', '.join(self._lazy)}."
            raise click.UsageError(f"no command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands by their names, without importing them."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [
            CompletionItem(name, help=line)
            for name, (_, line) in self._lazy.items()
            if name.startswith(incomplete)
        ]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self._lazy.items()])


def _print_version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from driftcheck.cli.facts import version_text

    click.echo(version_text())
    ctx.exit()


app = LazyGroup(
    COMMANDS,
    name="driftcheck",
    help="Finds what of your code breaks on another version of a library, why, and what the edit is.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_print_version,
            help="Show the version and what a bug report should say, and exit.",
        )
    ],
)
