"""``driftcheck completion``: the script that makes a shell complete driftcheck's words."""

from __future__ import annotations

import click

_WHERE = {
    "bash": "~/.bashrc",
    "zsh": "~/.zshrc",
    "fish": "~/.config/fish/completions/driftcheck.fish",
}


@click.command(name="completion")
@click.argument("shell", type=click.Choice(list(_WHERE)))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """The completion script for SHELL.

    \b
    eval "$(driftcheck completion bash)"      in ~/.bashrc
    eval "$(driftcheck completion zsh)"       in ~/.zshrc
    driftcheck completion fish > ~/.config/fish/completions/driftcheck.fish
    """
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(ctx.find_root().command, {}, "driftcheck", "_DRIFTCHECK_COMPLETE").source())
