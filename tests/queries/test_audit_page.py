"""The HTML report in a real headless Chromium, at the width of a desktop and of a phone."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from driftcheck.queries.audit import AuditRequest, audit
from driftcheck.report.audit_html import render

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")]


@pytest.fixture
def page_file(dock: Path, tmp_path: Path) -> Path:
    report = audit(AuditRequest("dock==1.0", "gantry", first="1.0", known_good="1.0"))
    place = tmp_path / "page.html"
    place.write_text(render(report))
    return place


@pytest.fixture
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


@pytest.mark.parametrize(("width", "scheme"), [(1360, "light"), (390, "dark")])
def test_the_page(browser: Any, page_file: Path, width: int, scheme: str) -> None:
    page = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme).new_page()
    trouble: list[str] = []
    requests: list[str] = []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("console", lambda message: trouble.append(message.text))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(page_file.as_uri())
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    # Nothing is wider than the screen but what scrolls by itself.
    assert page.evaluate("document.documentElement.scrollWidth") <= width

    shown = page.locator("tr.row:not([hidden])")
    assert shown.count() == 2
    shown.first.click()
    detail = page.locator("tr.detail:not([hidden])")
    assert detail.count() == 1 and "gantry/hoist.py" in detail.inner_text()
    box = page.locator("tr.detail:not([hidden]) .inside").bounding_box()
    assert box is not None and box["width"] <= width

    page.keyboard.press("Escape")
    assert detail.count() == 0
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    assert detail.count() == 1
    page.keyboard.press("/")
    page.keyboard.type("dc202")
    assert shown.count() == 1
    page.keyboard.press("Escape")
    assert shown.count() == 2

    # On 2.0 only the keyword breaks.
    page.select_option("#release", label="2.0")
    page.check("#only")
    assert shown.count() == 1 and "DC201" in shown.inner_text()
    assert page.locator("#shown").inner_text() == "2.0"
    page.uncheck("#only")
    page.check("input[data-kind=holds]")
    assert shown.count() > 2

    page.emulate_media(media="print")
    assert not page.locator(".controls").is_visible()
    assert trouble == []
    assert requests == [page_file.as_uri()]
