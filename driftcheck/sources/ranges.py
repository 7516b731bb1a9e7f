"""Reading some members of a zip archive on a server, by ranges, without fetching the rest."""

from __future__ import annotations

import io
import zipfile
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftcheck.sources.archive import LIMITS, check_zip_directory, refusing, write_members, zip_members

if TYPE_CHECKING:
    from driftcheck.sources.http import Client

TAIL = 512 << 10
# Two members with less than this between them are fetched together: a request costs more.
GAP = 256 << 10
# A local header repeats the name and may have its own extra field.
HEADER = 30 + 4096
PIECE = 16 << 20


class RemoteFile(io.RawIOBase):
    """A seekable view of a file on a server; what was fetched once is kept."""

    def __init__(self, client: Client, url: str) -> None:
        self._client, self._url, self._position = client, url, 0
        first, self.size, data = client.range(url, None, TAIL)
        self._starts, self._pieces = [first], [data]

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = 0) -> int:
        self._position = max(0, offset + (0, self._position, self.size)[whence])
        return self._position

    def read(self, size: int = -1) -> bytes:
        end = self.size if size < 0 else min(self.size, self._position + size)
        data = bytearray()
        while self._position < end:
            at = bisect_right(self._starts, self._position) - 1
            offset = self._position - self._starts[at] if at >= 0 else 0
            if at < 0 or offset >= len(self._pieces[at]):
                following = self._starts[at + 1] if at + 1 < len(self._starts) else self.size
                self.fetch(self._position, min(following, max(end, self._position + (64 << 10))))
                continue
            chunk = self._pieces[at][offset : offset + end - self._position]
            data += chunk
            self._position += len(chunk)
        return bytes(data)

    def fetch(self, start: int, end: int) -> None:
        """Bring the bytes from `start` up to `end` here; they must not overlap what is here."""
        _, _, data = self._client.range(self._url, start, end)
        at = bisect_right(self._starts, start)
        self._starts.insert(at, start)
        self._pieces.insert(at, data)

    def forget(self, end: int) -> None:
        """Drop what lies before `end`: it will not be read again."""
        while self._starts and self._starts[0] + len(self._pieces[0]) <= end:
            del self._starts[0], self._pieces[0]


def unpack_remote(
    client: Client,
    url: str,
    destination: Path,
    want: Callable[[str], bool],
    moved: Callable[[int, int | None], None] | None = None,
) -> dict[str, int]:
    """Write the wanted members of the zip archive at `url` below `destination`; paths and sizes.

    Members are checked by their checksums; the archive's own hash cannot be. Raises SourceError,
    also where the server does not serve ranges.
    """
    with refusing(url.rpartition("/")[2]):
        remote: Any = RemoteFile(client, url)
        check_zip_directory(remote)
        with zipfile.ZipFile(remote) as archive:
            infos = sorted(archive.infolist(), key=lambda info: info.header_offset)
            infos = [info for info in infos if want(info.filename)]
            groups = coalesce(
                [(info.header_offset, info.compress_size + HEADER) for info in infos], remote.size
            )
            done = 0
            written: dict[str, int] = {}
            for start, end in groups:
                known = remote._starts[0] if remote._starts else remote.size
                if start < known:
                    remote.fetch(start, min(end, known))
                done += end - start
                if moved is not None:
                    moved(done, sum(stop - begin for begin, stop in groups))
                inside = [info for info in infos if start <= info.header_offset < end]
                written |= write_members(
                    zip_members(archive, inside), destination, strip=False, want=want, limits=LIMITS
                )
                remote.forget(end)
            return written


def coalesce(spans: list[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    """Spans (offset, length), sorted by offset, as disjoint ranges with small gaps closed."""
    groups: list[tuple[int, int]] = []
    for offset, length in spans:
        end = min(size, offset + length)
        if groups and offset - groups[-1][1] <= GAP and end - groups[-1][0] <= PIECE:
            groups[-1] = (groups[-1][0], max(groups[-1][1], end))
        elif groups and offset < groups[-1][1]:
            groups[-1] = (groups[-1][0], max(groups[-1][1], end))
        else:
            groups.append((offset, end))
    return groups
