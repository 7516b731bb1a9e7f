"""``driftcheck config``: the configuration in force, and where each part of it is from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from driftcheck.cli.errors import UsageProblem
from driftcheck.cli.saying import say

if TYPE_CHECKING:
    from driftcheck.engine.config import Config


@click.command(name="config")
@click.argument("path", default=".", type=click.Path(path_type=Path))
@click.option("--config", "file", type=click.Path(path_type=Path), help="The pyproject.toml to follow.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(path: Path, file: Path | None, output_format: str) -> None:
    """The configuration in force at PATH (here by default), and where each setting is from."""
    config = _config(path, file)
    if output_format == "json":
        rows = [{"key": key, "value": value, "from": place} for key, value, place in _rows(config)]
        text = msgspec.json.format(msgspec.json.encode({"file": _file(config), "settings": rows}), indent=2)
        click.echo(text.decode())
        return
    click.echo(f"# {_file(config) or 'no configuration file: the defaults'}")
    lines = [(f"{key} = {msgspec.json.encode(value).decode()}", place) for key, value, place in _rows(config)]
    width = min(max(len(line) for line, _ in lines), 70)
    for line, place in lines:
        say(f"{line:<{width}}  # {place}", err=False)


def _config(path: Path, file: Path | None) -> Config:
    from driftcheck.engine.config import check_words, codes_for, find_config, load_config
    from driftcheck.rulesdb import RulesError
    from driftcheck.sources.errors import SourceError

    if not path.exists():
        raise UsageProblem(f"no such file or directory: {path}")
    try:
        config = find_config(path) if file is None else load_config(file.absolute())
        if config is None:
            raise UsageProblem(f"{file}: no such file, or no [tool.driftcheck] in it")
        check_words(config, codes_for(config))
    except (SourceError, RulesError) as error:
        raise UsageProblem(str(error)) from error
    return config


def _file(config: Config) -> str | None:
    return None if config.path is None else str(config.path)


def _rows(config: Config) -> Iterator[tuple[str, Any, str]]:
    """Each setting as its key is written, its value, and where it is from; a table's keys one by one."""
    from driftcheck.engine.config import Settings

    defaults = msgspec.to_builtins(Settings())
    for key, value in msgspec.to_builtins(config.settings).items():
        if isinstance(value, dict) and value:
            for inner, said in value.items():
                yield f"{key}.{_quoted(inner)}", said, _place(config, key, inner)
        else:
            told = (
                "default" if value == defaults[key] and config.line_of(key) is None else _place(config, key)
            )
            yield key, value, told


def _place(config: Config, *keys: str) -> str:
    line = config.line_of(*keys)
    name = config.path.name if config.path is not None else "default"
    return f"{name}:{line}" if line is not None else name


def _quoted(key: str) -> str:
    return key if key.replace("-", "").replace("_", "").isalnum() else f'"{key}"'
