"""``check --ranges``: every release that the consumer's metadata admits, looked at for DC501."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from driftcheck.engine.declared import admitted, declared, too_wide
from driftcheck.engine.examine import examine
from driftcheck.engine.options import CheckOptions
from driftcheck.engine.suppress import suppress
from driftcheck.model import Finding
from driftcheck.rulesdb import CodeInfo
from driftcheck.sources.errors import SourceError
from driftcheck.sources.lists import Release
from driftcheck.sources.tree import Tree

Progress = Callable[[str], None]


def range_findings(
    consumer: Tree,
    provider: str,
    offered: Iterable[Release],
    opened: Callable[[str], Tree],
    options: CheckOptions,
    codes: Mapping[str, CodeInfo],
    progress: Progress,
    warnings: list[str],
) -> list[Finding]:
    """What the admitted releases say of the declared range; each is asked about for itself, without a known-good.

    ``opened`` gives the tree of a spec. Suppressed findings do not count. A release that cannot be had, and
    a consumer that declares no range, become warnings.
    """
    if not declared(consumer, provider):
        warnings.append(f"--ranges: {consumer.spec} declares no range of {provider}")
        return []
    found: dict[str, list[Finding]] = {}
    for version in admitted(consumer, provider, (one.version for one in offered if not one.yanked)):
        try:
            examined = examine(consumer, opened(f"{provider}=={version}"), None, options, progress)
        except SourceError as error:
            warnings.append(f"--ranges: {provider} {version} was not looked at: {error}")
            continue
        versions: dict[str, str | None] = {provider: version}
        found[version] = suppress(examined.report.findings, examined.comments, versions, dict(codes)).findings
    return too_wide(consumer, provider, found, codes)
