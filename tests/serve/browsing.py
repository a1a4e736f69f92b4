"""A real Chromium, the screens it is looked at on, and what keeps somebody from using a page."""

from collections.abc import Iterator
from contextlib import contextmanager

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
PHONE: ViewportSize = {"width": 360, "height": 740}
DESK: ViewportSize = {"width": 1280, "height": 900}


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def barriers(page: Page) -> list[str]:
    """What axe finds on the page that is more than a blemish."""
    violations = Axe().run(page).response["violations"]
    return [one["id"] for one in violations if one["impact"] in ("serious", "critical", "moderate")]


def width_of(page: Page) -> int:
    """How wide the page is, in pixels; more than the screen means scrolling sideways."""
    return int(page.evaluate("document.documentElement.scrollWidth"))
