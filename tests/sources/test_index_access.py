"""Releases from an index on this machine: what is chosen, fetched, verified, kept, and said on failure."""

import os
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from sources.making import sdist_bytes, simple_sdist, simple_wheel, wheel_bytes

from driftcheck.sources import Cache, SourceError, Tree, known_good_version, open_tree, releases


@pytest.fixture
def lift(index):  # type: ignore[no-untyped-def]
    """An index with some releases of `lift`."""
    for version in ("0.9", "1.0", "1.1", "2.0rc1"):
        index.add(f"lift-{version}.tar.gz", simple_sdist("lift", version, source="x = 1"))
        index.add(f"lift-{version}-py3-none-any.whl", simple_wheel("lift", version, built="x = 1"))
    return index


def fails(spec: str, match: str, role: str = "provider", **options: object) -> SourceError:
    with pytest.raises(SourceError, match=match) as caught:
        open_tree(spec, role=role, **options)  # type: ignore[arg-type]
    assert caught.value.exit_status == 3 and "\n" not in str(caught.value)
    return caught.value


def go_offline(index, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    """From here on every request fails, and is counted."""
    index.asked.clear()
    index.faults = {"/": 503}


@pytest.mark.parametrize("html", [False, True])
def test_a_provider_is_read_from_its_sdist_a_consumer_from_its_wheel(lift, html: bool) -> None:  # type: ignore[no-untyped-def]
    lift.html = html
    provider, consumer = open_tree("lift==1.0", role="provider"), open_tree("Lift == 1.0", role="consumer")
    assert provider.python_files == ("lift/__init__.py", "lift/source.py")
    assert consumer.python_files == ("lift/__init__.py", "lift/built.py")
    for tree in (provider, consumer):
        assert (tree.name, tree.version, tree.packages, tree.immutable) == ("lift", "1.0", ("lift",), True)
    assert provider.key != consumer.key
    assert lift.hashes["lift-1.0.tar.gz"] in provider.key


@pytest.mark.parametrize(
    ("spec", "version"),
    [("lift@latest", "1.1"), ("lift>=0.9,<1.1", "1.0"), ("lift<1", "0.9"), ("lift>=2.0rc1", "2.0rc1"),
     ("lift==1.*", "1.1"), ("lift==2.0rc1", "2.0rc1"), ("lift>1.1", "2.0rc1"), ("lift==1.0.0", "1.0")],
)  # fmt: skip
def test_what_a_range_takes(lift, spec: str, version: str) -> None:  # type: ignore[no-untyped-def]
    assert open_tree(spec, role="provider").version == version


def test_yanked_releases_only_by_name(lift) -> None:  # type: ignore[no-untyped-def]
    lift.yanked = {"lift-1.1.tar.gz", "lift-1.1-py3-none-any.whl"}
    assert open_tree("lift@latest", role="provider").version == "1.0"
    assert open_tree("lift==1.1", role="provider").version == "1.1"
    assert [(release.version, release.yanked, release.prerelease) for release in releases("lift")] == [
        ("0.9", False, False), ("1.0", False, False), ("1.1", True, False), ("2.0rc1", False, True),
    ]  # fmt: skip


def test_the_version_without_a_local_part_is_preferred(lift) -> None:  # type: ignore[no-untyped-def]
    lift.add("lift-1.1+cpu-py3-none-any.whl", simple_wheel("lift", "1.1+cpu"))
    assert open_tree("lift==1.1", role="consumer").version == "1.1"
    assert open_tree("lift==1.1+cpu", role="consumer").version == "1.1+cpu"


def test_nothing_is_asked_twice(lift) -> None:  # type: ignore[no-untyped-def]
    for _ in range(3):
        open_tree("lift==1.0", role="provider")
        open_tree("lift>=0.9,<1.1", role="provider")
    assert lift.asked == ["/simple/lift/", "/files/lift-1.0.tar.gz"]
    open_tree("lift==1.0", role="provider", refresh=True)
    assert lift.asked[2:] == ["/simple/lift/"]


def test_offline_what_is_cached_still_works(lift, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    open_tree("lift==1.0", role="provider")
    go_offline(lift, monkeypatch)
    assert open_tree("lift==1.0", role="provider").read("lift/source.py") == b"x = 1"
    assert lift.asked == []
    # A week later a range is asked for again, and the old list has to do.
    week = time.time() + 7 * 24 * 3600
    monkeypatch.setattr(time, "time", lambda: week)
    told: list[str] = []
    assert open_tree("lift<1.1", role="provider", progress=told.append).version == "1.0"
    assert lift.asked and any("fetched earlier" in line for line in told)
    assert open_tree("lift==1.0", role="provider", refresh=True).version == "1.0"
    fails("lift==1.1", "503")


def test_offline_under_other_settings(lift, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    open_tree("lift==1.0", role="provider")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    assert open_tree("lift==1.0", role="provider").version == "1.0"
    assert open_tree("lift<1.1", role="provider").version == "1.0"
    fails("gantry==1.0", "cannot be reached")


def test_another_index_is_not_answered_from_the_first_ones_archives(lift, start_index, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    open_tree("lift==1.0", role="provider")
    other = start_index()
    other.add("lift-1.0.tar.gz", simple_sdist("lift", "1.0", other="x = 2"))
    monkeypatch.setenv("PIP_INDEX_URL", f"{other.url}/simple")
    assert open_tree("lift==1.0", role="provider").is_file("lift/other.py")


def test_extra_indexes_and_links(lift, start_index, monkeypatch, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    extra = start_index()
    extra.add("lift-3.0.tar.gz", simple_sdist("lift", "3.0"))
    local = tmp_path / "mirror/lift"
    local.mkdir(parents=True)
    (local / "lift-5.0.tar.gz").write_bytes(simple_sdist("lift", "5.0"))
    (local / "index.html").write_text('<a href="lift-5.0.tar.gz">lift-5.0.tar.gz</a>')
    links = tmp_path / "links"
    links.mkdir()
    (links / "lift-4.0-py3-none-any.whl").write_bytes(simple_wheel("lift", "4.0"))
    (links / "other-9.0-py3-none-any.whl").write_bytes(b"")
    urls = f"{extra.url}/simple file:///no/such/simple {(tmp_path / 'mirror').as_uri()}"
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", urls)
    monkeypatch.setenv("PIP_FIND_LINKS", f"{links} /no/such/links")
    assert [release.version for release in releases("lift")] == [
        "0.9",
        "1.0",
        "1.1",
        "2.0rc1",
        "3.0",
        "4.0",
        "5.0",
    ]
    for version in ("3.0", "4.0", "5.0"):
        assert open_tree(f"lift=={version}", role="provider").version == version
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert [release.version for release in releases("lift")] == ["4.0"]


def test_one_index_that_is_down_does_not_hide_another(lift, start_index, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "http://127.0.0.1:9/simple")
    told: list[str] = []
    assert open_tree("lift==1.0", role="provider", progress=told.append).version == "1.0"
    assert any("passed over" in line for line in told)


def test_credentials_are_sent_and_never_kept_or_shown(lift, monkeypatch, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    seen: list[str | None] = []

    def guard(handler: BaseHTTPRequestHandler) -> None:
        seen.append(handler.headers.get("Authorization"))
        handler.answer(401)  # type: ignore[attr-defined]

    monkeypatch.setenv("PIP_INDEX_URL", lift.url.replace("//", "//me:s3cret@") + "/simple")
    lift.faults = {"/simple": guard}
    assert "s3cret" not in str(fails("lift==1.0", "401"))
    lift.faults = {}
    open_tree("lift==1.0", role="provider")
    assert seen == ["Basic bWU6czNjcmV0"]
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"s3cret" not in kept


# What goes wrong


def test_no_such_name_or_version(lift) -> None:  # type: ignore[no-untyped-def]
    fails("gantry==1.0", "no release of gantry")
    assert "2.0rc1" in str(fails("lift==7.0", "no release of lift fits ==7.0"))
    fails("lift>=5,<6", "fits")


@pytest.mark.parametrize("status", [403, 500, 503, 418])
def test_an_index_that_refuses(lift, status: int) -> None:  # type: ignore[no-untyped-def]
    lift.faults = {"/simple": status}
    fails("lift==1.0", str(status))


@pytest.mark.parametrize("status", [403, 404, 500])
def test_an_archive_that_is_refused(lift, status: int) -> None:  # type: ignore[no-untyped-def]
    lift.faults = {"/files": status}
    fails("lift==1.0", str(status))


@pytest.mark.parametrize(
    "body",
    [b"", b"garbage", b"[]", b"{}", b'{"files": 5}', b'{"meta": {"api-version": "9.0"}, "name": "lift", "files": []}',
     b'{"meta": {"api-version": "1.0"}, "name": "lift", "files": [{"filename": 5}]}', b"\xff\xfe" * 50, b"[" * 100_000],
)  # fmt: skip
def test_an_index_that_answers_garbage(lift, body: bytes) -> None:  # type: ignore[no-untyped-def]
    lift.faults = {"/simple": body}
    fails("lift==1.0", "no list of releases|no release of lift")


def test_a_page_of_another_kind(lift) -> None:  # type: ignore[no-untyped-def]
    lift.faults = {"/simple": lambda handler: handler.answer(200, b"%PDF", Content_Type="application/pdf")}
    fails("lift==1.0", "application/pdf")


def test_a_redirect_loop(lift) -> None:  # type: ignore[no-untyped-def]
    lift.faults = {"/simple": lambda handler: handler.answer(302, Location=handler.path)}
    fails("lift==1.0", "redirects in a loop")


def test_an_index_that_does_not_answer(lift, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("PIP_TIMEOUT", "0.3")
    lift.faults = {"/simple": lambda handler: time.sleep(1)}
    started = time.monotonic()
    fails("lift==1.0", "in time|cannot be reached")
    assert time.monotonic() - started < 5


def test_plain_http_needs_a_trusted_host(lift, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("PIP_INDEX_URL", "http://index.invalid/simple")
    fails("lift==1.0", "trusted-host")


def test_a_page_may_not_name_files_of_this_machine(lift, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    secret = tmp_path / "lift-1.0.tar.gz"
    secret.write_bytes(simple_sdist("lift", "1.0"))
    body = f'{{"meta": {{"api-version": "1.0"}}, "name": "lift", "files": [{{"filename": "lift-1.0.tar.gz", "url": "{secret.as_uri()}", "hashes": {{}}}}]}}'
    lift.faults = {"/simple": body.encode()}
    fails("lift==1.0", "no release of lift")


def test_a_wrong_hash_is_never_used(lift, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    lift.hashes["lift-1.0.tar.gz"] = "0" * 64
    fails("lift==1.0", "sha256")
    assert not list((tmp_path / "cache").rglob("*.py")) and not list((tmp_path / "cache").rglob("*.part"))


def test_a_corrupt_archive_with_the_right_hash(lift, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    lift.add("lift-1.2.tar.gz", simple_sdist("lift", "1.2")[:-40])
    fails("lift==1.2", "damaged")
    assert not list((tmp_path / "cache").rglob("release.json"))


def test_a_hostile_archive(lift, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    lift.add("lift-1.2.tar.gz", sdist_bytes({"../../../../../../evil.py": "1"}))
    fails("lift==1.2", "refused")
    assert not list(tmp_path.rglob("evil.py"))


def test_an_sdist_without_python_falls_back_on_the_wheel(lift) -> None:  # type: ignore[no-untyped-def]
    lift.add("lift-1.2.tar.gz", sdist_bytes({"PKG-INFO": "Name: lift\nVersion: 1.2\n"}))
    lift.add("lift-1.2-py3-none-any.whl", simple_wheel("lift", "1.2", built=""))
    for _ in range(2):
        assert open_tree("lift==1.2", role="provider").is_file("lift/built.py")
    assert lift.count("/files/lift-1.2") == 2


def test_a_release_without_any_python(lift) -> None:  # type: ignore[no-untyped-def]
    lift.add("lift-1.2-py3-none-any.whl", wheel_bytes({"lift/x.bin": "1"}))
    for _ in range(2):
        fails("lift==1.2", "no Python file")


# Downloads that are cut


def cut(after: int, times: int) -> Callable[[BaseHTTPRequestHandler], None]:
    """Closes the connection after some bytes, the first few times."""
    left = [times]

    def fault(handler: BaseHTTPRequestHandler) -> None:
        data = handler.server_index.files[handler.path.removeprefix("/files/")]  # type: ignore[attr-defined]
        if left[0] <= 0:
            handler.send_file(data)  # type: ignore[attr-defined]
            return
        left[0] -= 1
        start = int((handler.headers.get("Range") or "bytes=0-")[6:].partition("-")[0])
        handler.send_response(206 if start else 200)
        if start:
            handler.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        handler.send_header("Content-Length", str(len(data) - start))
        handler.end_headers()
        handler.wfile.write(data[start : start + after])
        handler.close_connection = True

    return fault


@pytest.mark.parametrize("ranges", [True, False])
@pytest.mark.parametrize("after", [0, 1, 100])
def test_a_cut_download_is_resumed_or_restarted(lift, ranges: bool, after: int) -> None:  # type: ignore[no-untyped-def]
    lift.ranges = ranges
    lift.faults = {"/files": cut(after, 1)}
    assert open_tree("lift==1.0", role="provider").read("lift/source.py") == b"x = 1"
    assert lift.count("/files") == 2


def test_a_later_run_goes_on_where_this_one_was_cut(lift, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    lift.faults = {"/files": cut(100, 2)}
    fails("lift==1.0", "cut|ended after")
    (part,) = (tmp_path / "cache").rglob("*.part")
    assert part.stat().st_size == 200
    lift.faults = {}
    open_tree("lift==1.0", role="provider")
    assert not part.exists()


@pytest.mark.parametrize("junk", [b"junk" * 10, b"x" * 100_000])
def test_a_part_that_is_not_what_it_seems(lift, tmp_path: Path, junk: bytes) -> None:  # type: ignore[no-untyped-def]
    """What was left in the cache is of another archive: started again, once."""
    place = tmp_path / "cache/sources/downloads" / f"{lift.hashes['lift-1.0.tar.gz'][:32]}.part"
    place.parent.mkdir(parents=True)
    place.write_bytes(junk)
    assert open_tree("lift==1.0", role="provider").read("lift/source.py") == b"x = 1"


def test_an_archive_that_grows_while_it_is_sent(lift) -> None:  # type: ignore[no-untyped-def]
    lift.faults = {"/files": lambda handler: handler.answer(200, bytes(1_000_000))}
    fails("lift==1.0", "larger than the index says")


# Large wheels by ranges


def large_wheel(monkeypatch: pytest.MonkeyPatch) -> bytes:
    import base64
    import hashlib
    import zipfile

    monkeypatch.setattr("driftcheck.sources.fetch.RANGES_FROM", 0)
    monkeypatch.setattr("driftcheck.sources.ranges.TAIL", 2000)
    monkeypatch.setattr("driftcheck.sources.ranges.GAP", 5000)
    text = {f"big/m{number}.py": f"x = {number}\n" * 200 for number in range(20)}
    files: dict[str, str | bytes] = {"big/__init__.py": "", "big/data.bin": os.urandom(1_000_000)}
    for number, (path, content) in enumerate(text.items()):
        files[path] = content
        if number % 5 == 0:
            files[f"big/blob{number}.so"] = os.urandom(50_000)
    record = "".join(
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(content.encode()).digest()).decode().rstrip('=')},\n"
        for path, content in text.items()
    )
    files["big-1.0.dist-info/METADATA"] = "Name: big\nVersion: 1.0\n"
    files["big-1.0.dist-info/RECORD"] = record
    return wheel_bytes(files, zipfile.ZIP_DEFLATED)


def check_large(tree: Tree) -> None:
    assert len(tree.python_files) == 21
    assert tree.read("big/m7.py") == b"x = 7\n" * 200
    assert tree.is_file("big/blob5.so")


def test_a_large_wheel_is_read_by_ranges(index, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    index.add("big-1.0-cp311-cp311-linux_x86_64.whl", large_wheel(monkeypatch))
    sent: list[int] = []
    data = index.files["big-1.0-cp311-cp311-linux_x86_64.whl"]

    def counting(handler: BaseHTTPRequestHandler) -> None:
        start, _, end = (handler.headers["Range"] or "")[6:].partition("-")
        sent.append(int(end) - int(start) + 1 if start else int(end))
        handler.send_file(data)  # type: ignore[attr-defined]

    index.faults = {"/files": counting}
    check_large(open_tree("big==1.0", role="provider"))
    assert sum(sent) < len(data) / 5


def test_a_server_without_ranges(index, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    index.ranges = False
    index.add("big-1.0-cp311-cp311-linux_x86_64.whl", large_wheel(monkeypatch))
    told: list[str] = []
    check_large(open_tree("big==1.0", role="provider", progress=told.append))
    assert any("whole" in line for line in told)


def test_ranges_that_are_not_what_record_says(index, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    """Then the whole is fetched, and the index's hash decides."""
    data = large_wheel(monkeypatch)
    monkeypatch.setattr("driftcheck.sources.fetch.record_hashes", lambda text: {"big/m7.py": "wrong"})
    index.add("big-1.0-cp311-cp311-linux_x86_64.whl", data)
    told: list[str] = []
    check_large(open_tree("big==1.0", role="provider", progress=told.append))
    assert any("RECORD" in line for line in told)


# Known-good


@pytest.mark.parametrize(
    ("requires", "version"),
    [
        (("lift==0.9; extra == 'x'",), "0.9"),
        (("lift>=0.9,<1.1",), "1.0"),
        (("Lift_ (>=0.9)", "lift[a]<1.1 ; python_version < '3'"), "1.0"),
        (("lift>=0.9", "lift==1.0; extra == 'a'", "lift==0.9; extra == 'b'"), "1.0"),
        (("lift @ https://x.invalid/lift-0.9-py3-none-any.whl#sha256=1",), "0.9"),
        (("lift",), None),
        (("other==1", "lift2==3"), None),
        (("lift>=77",), None),
        (("lift==", "=lift", "\n"), None),
    ],
)
def test_known_good(lift, requires: tuple[str, ...], version: str | None) -> None:  # type: ignore[no-untyped-def]
    from driftcheck.sources import MemoryFiles

    consumer = Tree(spec="x", files=MemoryFiles({}), packages=(), requires=requires)
    assert known_good_version(consumer, "lift") == version


def test_known_good_without_an_index(lift) -> None:  # type: ignore[no-untyped-def]
    from driftcheck.sources import MemoryFiles

    lift.faults = {"/": 500}
    told: list[str] = []
    consumer = Tree(spec="x", files=MemoryFiles({}), packages=(), requires=("lift>=1",))
    assert known_good_version(consumer, "lift", progress=told.append) is None
    assert any("500" in line for line in told)


def test_importing_sources_brings_no_network_library() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from driftcheck.sources import open_tree, known_good_version, SourceError; "
        "print([name for name in ('requests', 'urllib3', 'pypi_simple', 'tarfile', 'ssl') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_cached_release_opens_fast(lift) -> None:  # type: ignore[no-untyped-def]
    open_tree("lift==1.0", role="provider")
    best = 1.0
    for _ in range(5):
        started = time.perf_counter()
        open_tree("lift==1.0", role="provider", cache=Cache())
        best = min(best, time.perf_counter() - started)
    assert best < 0.02
