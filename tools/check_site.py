"""Checks the pages of the documentation site, also in a browser if one is installed.

    python tools/check_site.py [--screenshots FOLDER] [--browser PATH] [--needs-browser]

Without a browser, it checks that every link and anchor inside the site has a target, that no page
has two elements with the same id, that every page has a title and can be reached by links, and that
the search index contains every page. In Chromium (playwright's, or an installed one), it opens
every page in a wide, light window and in a dark one as narrow as a telephone. A page must not log
an error, request a file from another site or be wider than the window. The search must find the
expected pages, and the button for colours must work.
"""

import argparse
import functools
import http.server
import json
import posixpath
import re
import shutil
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote

SITE = Path(__file__).resolve().parents[1] / "build" / "site"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
LOOKS = {"wide": (1280, 900), "telephone": (390, 844)}
SEARCHES = {
    "hessian": "reference/tf.autodiff.html#tf.autodiff.hessian",
    "GradientTape": "reference/tf.html#tf.GradientTape",
    "tf.reduce_sum": "reference/tf.html#tf.reduce_sum",
    "Variable": "reference/tf.html#tf.Variable",
    "Greeks": "tutorials/option-greeks.html",
    "gradient is None": "trouble/none.html",
    "nan": "trouble/nan.html",
    "retracing": "reference/tf.html#tf.function",
}
"""Queries for the search, and the pages that must be among the first results."""
FIRST = 5
TRIES = 3
RESULTS = """() => {
    const all = [...document.querySelectorAll('body *')]
    const host = all.find(e => e.shadowRoot?.querySelector('input'))
    return [...(host?.shadowRoot.querySelectorAll('a') ?? [])].map(a => a.getAttribute('href'))
}"""
"""What the search has found, as addresses."""
ELSEWHERE = ("http:", "https:", "mailto:", "data:", "javascript:")


class Page(HTMLParser):
    """The ids, the links and the title of a page."""

    def __init__(self, text: str) -> None:
        """Reads a page."""
        super().__init__()
        self.ids: Counter[str] = Counter()
        self.links: list[str] = []
        self.title = ""
        self._in_title = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Records the ids and links of an element."""
        found = dict(attrs)
        if identity := found.get("id"):
            self.ids[identity] += 1
        for name in ("href", "src"):
            if (link := found.get(name)) and not link.startswith(ELSEWHERE):
                self.links.append(link)
        self._in_title = tag == "title"

    def handle_data(self, data: str) -> None:
        """Records the title."""
        if self._in_title:
            self.title += data


def pages(site: Path) -> dict[str, Page]:
    """Returns the pages of the site by their addresses."""
    return {
        path.relative_to(site).as_posix(): Page(path.read_text(encoding="utf-8"))
        for path in sorted(site.rglob("*.html"))
    }


def faults_of_links(site: Path, found: dict[str, Page]) -> Iterator[str]:
    """Yields faults for links without a target."""
    for address, page in found.items():
        if address == "404.html":  # its links are relative to the site's root
            continue
        for link in sorted(set(page.links)):
            path, _, anchor = unquote(link).partition("#")
            path = path.partition("?")[0]
            target = posixpath.normpath(posixpath.join(posixpath.dirname(address), path))
            target = target if path else address
            if (site / target).is_dir():
                target = posixpath.normpath(posixpath.join(target, "index.html"))
            if not (site / target).exists():
                yield f"{address}: {link} leads nowhere"
            elif anchor and target in found and anchor not in found[target].ids:
                yield f"{address}: {link} has no such anchor"


def faults_of_pages(found: dict[str, Page]) -> Iterator[str]:
    """Yields the faults of single pages."""
    reached = {
        posixpath.normpath(posixpath.join(posixpath.dirname(a), link.partition("#")[0]))
        for a, page in found.items()
        for link in page.links
    }
    for address, page in found.items():
        twice = [name for name, count in page.ids.items() if count > 1]
        if twice:
            yield f"{address}: ids that stand twice: {', '.join(twice[:5])}"
        if not page.title.strip() or page.title.startswith("none"):
            yield f"{address}: no title"
        if address not in reached and address not in {"404.html", "index.html"}:
            yield f"{address}: no page leads here"


def faults_of_search(site: Path, found: dict[str, Page]) -> Iterator[str]:
    """Yields faults for pages and names that the search index lacks."""
    text = (site / "search.json").read_text(encoding="utf-8")
    entries = {entry["location"] for entry in json.loads(text)["items"]}
    missing = {entry.partition("#")[0] for entry in entries}
    for address in found:
        if address not in missing and address != "404.html":
            yield f"{address}: the search does not know it"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without logging requests."""

    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing for a request."""


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Serves the site during a `with` block; yields its address."""
    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def launch(playwright: Any, path: str | None) -> Any:
    """Starts Chromium: the one at a path, an installed one or playwright's; None if missing."""
    installed = path or next(filter(None, map(shutil.which, BROWSERS)), None)
    try:
        return playwright.chromium.launch(
            executable_path=installed, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
    except Exception as error:  # noqa: BLE001 - whatever is wrong with it, there is no browser
        print(f"no browser: {str(error).splitlines()[0]}")
        return None


def open_pages(
    browser: Any, base: str, addresses: list[str], look: tuple[str, str], shots: Path | None
) -> Iterator[str]:
    """Yields the faults of pages at one width and in one colour scheme."""
    size, scheme = look
    width, height = LOOKS[size]
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )
    context.route("**/search.json", without_entries)  # keeps pages from indexing the site
    tab = context.new_page()
    said: list[str] = []
    tab.on("console", lambda m: said.append(m.text) if m.type == "error" else None)
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("request", lambda r: said.append(f"asks for {r.url}") if outside(r.url, base) else None)
    for address in addresses:
        said.clear()
        tab.goto(base + address, wait_until="load")
        if shots:
            name = f"{address.removesuffix('.html').replace('/', '-')}-{size}-{scheme}.png"
            tab.screenshot(path=shots / name)
        used = tab.evaluate("document.documentElement.scrollWidth")
        dark = tab.evaluate("document.body.dataset.mdColorScheme") == "slate"
        label = f"{address} ({size}, {scheme})"
        yield from (f"{label}: {text}" for text in said)
        if used > width:
            yield f"{label}: {used} pixels wide"
        if dark != (scheme == "dark"):
            yield f"{label}: is {'dark' if dark else 'light'}"
    context.close()


def without_entries(route: Any) -> None:
    """Answers a page's request for the search index with an empty index."""
    index = json.loads((SITE / "search.json").read_text(encoding="utf-8"))
    route.fulfill(json=index | {"items": []})


def outside(url: str, base: str) -> bool:
    """Whether a page requests a file from another site."""
    return not url.startswith((base, "data:", "blob:"))


def search(browser: Any, base: str) -> Iterator[str]:
    """Yields faults for searches that do not find the expected page."""
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    for words, wanted in SEARCHES.items():
        found: list[str] = []
        for _ in range(TRIES):  # on a busy machine, the page may not yet handle keys
            found = first_results(tab, base, words, wanted)
            if found:
                break
        if wanted not in found:
            yield f"the search for {words!r} finds {found}, and not {wanted}"
    tab.close()


def first_results(tab: Any, base: str, words: str, wanted: str) -> list[str]:
    """Returns the first pages that the search finds, once the wanted one is among them.

    Args:
      tab: A tab of the browser.
      base: The address of the site.
      words: The words to search for.
      wanted: The expected page; the function stops waiting for it after a while.
    """
    tab.goto(f"{base}index.html", wait_until="networkidle")
    tab.keyboard.press("Control+k")
    tab.keyboard.type(words, delay=20)
    found: list[str] = []
    for _ in range(200):  # the page reads the index in the background
        found = [re.sub(r"\?[^#]*", "", a).removeprefix(base) for a in tab.evaluate(RESULTS)]
        if wanted in found[:FIRST]:
            break
        tab.wait_for_timeout(100)
    return found[:FIRST]


def switch_colours(browser: Any, base: str) -> Iterator[str]:
    """Whether the button changes the colours, and the next page keeps them."""
    tab = browser.new_page(color_scheme="light")
    tab.goto(f"{base}start.html", wait_until="networkidle")
    tab.locator("label[for='__palette_1'], label[title*='dark']").first.click()
    tab.goto(f"{base}faq.html", wait_until="networkidle")
    if tab.evaluate("document.body.dataset.mdColorScheme") != "slate":
        yield "the switch to dark colours is forgotten on the next page"
    tab.close()


def faults_in_browser(site: Path, shots: Path | None, path: str | None) -> list[str] | None:
    """Returns the faults of the pages in a browser; None if there is no browser."""
    if find_spec("playwright") is None:
        print("no browser: playwright is not installed")
        return None
    from playwright.sync_api import sync_playwright

    addresses = [p.relative_to(site).as_posix() for p in sorted(site.rglob("*.html"))]
    if shots:
        shots.mkdir(parents=True, exist_ok=True)
    with served(site) as base, sync_playwright() as playwright:
        browser = launch(playwright, path)
        if browser is None:
            return None
        checks: list[Callable[[], Iterator[str]]] = [
            functools.partial(open_pages, browser, base, addresses, (size, scheme), shots)
            for size, scheme in (("wide", "light"), ("telephone", "dark"))
        ]
        checks += [functools.partial(check, browser, base) for check in (search, switch_colours)]
        faults = [fault for check in checks for fault in check()]
        browser.close()
    return faults


def faults_by_text(site: Path) -> list[str]:
    """Returns the faults that can be found without a browser."""
    found = pages(site)
    checks = (faults_of_links(site, found), faults_of_pages(found), faults_of_search(site, found))
    return [fault for check in checks for fault in check]


def main() -> int:
    """Prints all faults."""
    parser = argparse.ArgumentParser(description="Check the pages of the documentation site.")
    parser.add_argument("--screenshots", type=Path, help="where to keep pictures of all pages")
    parser.add_argument("--browser", help="the program of a Chromium")
    parser.add_argument(
        "--needs-browser", action="store_true", help="fail if there is no browser to open the pages"
    )
    given = parser.parse_args()
    if not (SITE / "index.html").exists():
        print("there is no site yet: run `make docs`", file=sys.stderr)
        return 2
    faults = faults_by_text(SITE)
    seen = faults_in_browser(SITE, given.screenshots, given.browser)
    for fault in [*faults, *(seen or [])]:
        print(re.sub(r"\s+", " ", fault), file=sys.stderr)
    if seen is None and given.needs_browser:
        print("the pages were to be opened in a browser", file=sys.stderr)
        return 1
    how = "not opened in a browser" if seen is None else "opened in a browser"
    print(f"{len(list(SITE.rglob('*.html')))} pages, {how}: {len(faults) + len(seen or [])} faults")
    return 1 if faults or seen else 0


if __name__ == "__main__":
    sys.exit(main())
