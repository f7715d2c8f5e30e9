"""Open every page of the built book in headless Chromium, as a reader would.

Skipped, with the reason, where Chromium or its driver is not installed; `.ci/run`
installs both. Screenshots are left in `_build/screenshots`.
"""

from __future__ import annotations

import functools
import gzip
import http.server
import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from press.build import build
from press.chapters import ROOT

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
SHOTS = ROOT / "_build" / "screenshots"
# The theme declares the same constant twice on a page that has launch buttons.
KNOWN_ERRORS = ("THEBE_JS_URL",)
LAUNCHERS = ["mybinder.org", "colab.research.google.com"]
HEAVIEST = 2_000_000
WIDE, NARROW = (1400, 1000), (390, 844)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not (CHROMIUM and DRIVER),
        reason="needs the programs chromium and chromedriver (Debian: apt install chromium "
        "chromium-driver)",
    ),
]


@pytest.fixture(scope="module")
def pages() -> Path:
    return build()


@pytest.fixture(scope="module")
def address(pages) -> Iterator[str]:
    """The book served on this machine, for as long as the tests run."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    handler = functools.partial(Quiet, directory=str(pages))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    flags = "headless=new no-sandbox disable-gpu disable-quic no-first-run hide-scrollbars "
    flags += "disable-background-networking disable-component-update disable-sync "
    flags += "disable-dev-shm-usage allow-file-access-from-files "
    flags += f"user-data-dir={tmp_path_factory.mktemp('profile')} "
    # Any name but this machine's own leads nowhere: the book must do without a network.
    flags += "host-resolver-rules=MAP\u00a0*\u00a0~NOTFOUND\u00a0,\u00a0EXCLUDE\u00a0127.0.0.1"
    for flag in flags.split(" "):
        if flag:
            options.add_argument("--" + flag.replace("\u00a0", " "))
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    driver.set_page_load_timeout(60)
    yield driver
    driver.quit()


def resize(browser, size: tuple[int, int], *, narrow: bool = False) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": narrow},
    )


def failures(browser) -> list[str]:
    """Requests that failed and errors on the console since the last call."""
    found = [
        entry["message"]
        for entry in browser.get_log("browser")
        if entry["level"] == "SEVERE"
        and not any(known in entry["message"] for known in KNOWN_ERRORS)
    ]
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        parameters = message["params"]
        if message["method"] == "Network.loadingFailed" and not parameters.get("canceled"):
            found.append(f"failed request: {parameters['errorText']}")
        if message["method"] == "Network.responseReceived":
            response = parameters["response"]
            if response["status"] >= 400:
                found.append(f"{response['status']} {response['url']}")
        if message["method"] == "Network.requestWillBeSent":
            url = parameters["request"]["url"]
            if not url.startswith(("http://127.0.0.1", "data:", "blob:", "file:", "chrome")):
                found.append(f"the page asks for {url}")
    return found


def choose_theme(browser, theme: str) -> None:
    browser.execute_script(
        "const page = document.documentElement.dataset; page.theme = page.mode = arguments[0];",
        theme,
    )


def settle(browser) -> None:
    """Wait until the mathematics is set and the fonts are there."""
    browser.set_script_timeout(60)
    browser.execute_async_script(
        """const done = arguments[0];
        const math = window.MathJax?.startup?.promise ?? Promise.resolve();
        math.then(() => document.fonts.ready).then(() => setTimeout(done, 50));"""
    )


def notebook_pages() -> tuple[str, ...]:
    return tuple(f"chapters/{p.stem}.html" for p in sorted((ROOT / "chapters").glob("*.ipynb")))


def pytest_generate_tests(metafunc):
    if "page" in metafunc.fixturenames:
        texts = {f"chapters/{p.stem}.html" for p in (ROOT / "chapters").glob("*.md")}
        metafunc.parametrize("page", ["intro.html", *sorted(texts | set(notebook_pages()))])


def test_a_page_is_whole(browser, address, pages, page):
    assert (pages / page).exists(), f"{page} is not in the table of contents"
    resize(browser, WIDE)
    failures(browser)
    browser.get(f"{address}/{page}")
    settle(browser)
    assert failures(browser) == []
    state = browser.execute_script(
        """const article = document.querySelector('article');
        return {
          formulas: article.querySelectorAll('.math').length,
          unset: [...article.querySelectorAll('.math')]
            .filter(e => !e.querySelector('mjx-container')).map(e => e.textContent),
          mistakes: [...article.querySelectorAll('mjx-merror')].map(e => e.textContent),
          mute: [...document.querySelectorAll('img')]
            .filter(i => !i.alt || /\\.png$/.test(i.alt)).map(i => i.src),
          broken: [...document.querySelectorAll('img')]
            .filter(i => i.complete && !i.naturalWidth).map(i => i.src),
          cells: article.querySelectorAll('.cell_input').length,
          buttons: article.querySelectorAll('.cell_input button.copybtn').length,
          icons: document.querySelectorAll('svg.svg-inline--fa path').length,
          language: document.documentElement.lang,
          launch: [...document.querySelectorAll('.dropdown-launch-buttons a')].map(a => a.href),
        };"""
    )
    assert state["unset"] == [] and state["mistakes"] == []
    assert state["mute"] == [] and state["broken"] == []
    assert state["buttons"] == state["cells"]
    assert state["icons"] > 3
    assert state["language"] == "en"
    if page.endswith(notebook_pages()):
        assert [url.split("/")[2] for url in state["launch"]] == LAUNCHERS
    if page == "chapters/x-simulations.html":
        assert state["formulas"] > 0 and state["cells"] > 0  # or the checks above are empty


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_screenshots_wide_and_narrow(browser, address, page, theme):
    name = Path(page).stem
    for label, size in [("wide", WIDE), ("narrow", NARROW)]:
        resize(browser, size, narrow=label == "narrow")
        browser.get(f"{address}/{page}")
        choose_theme(browser, theme)
        settle(browser)
        overflow = browser.execute_script(
            """const width = document.documentElement.clientWidth;
            return document.documentElement.scrollWidth > width + 1
              ? [...document.querySelectorAll('article *')]
                  .filter(e => e.getBoundingClientRect().right > width + 1)
                  .slice(0, 3).map(e => e.tagName + '.' + e.className) : [];"""
        )
        assert overflow == [], f"wider than a {label} window"
        height = browser.execute_script("return document.querySelector('article').scrollHeight")
        resize(browser, (size[0], min(height + 400, 12000)), narrow=label == "narrow")
        SHOTS.mkdir(parents=True, exist_ok=True)
        browser.get_screenshot_as_file(str(SHOTS / f"{name}-{label}-{theme}.png"))


def test_a_page_is_light(browser, address, pages, page):
    """What a first visit costs, with texts compressed as web servers send them."""
    browser.execute_cdp_cmd("Network.clearBrowserCache", {})
    browser.get(f"{address}/{page}")
    settle(browser)
    names = browser.execute_script(
        """return ['navigation', 'resource'].flatMap(kind => performance.getEntriesByType(kind))
          .map(entry => decodeURI(new URL(entry.name).pathname));"""
    )
    assert len(names) > 5
    weight = 0
    for name in set(names):
        data = (pages / name.lstrip("/")).read_bytes()
        packed = data if name.endswith((".png", ".woff", ".woff2")) else gzip.compress(data)
        weight += len(packed)
    assert weight < HEAVIEST, f"{weight / 1e6:.1f} MB"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_stands_out_from_its_background(browser, address, page, theme):
    """WCAG's contrast of 4.5, for every piece of text in the article."""
    resize(browser, WIDE)
    browser.get(f"{address}/{page}")
    choose_theme(browser, theme)
    settle(browser)
    faint = browser.execute_script(
        """const channel = v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
        const numbers = colour => (colour.match(/[\\d.]+/g) || []).map(Number);
        const light = ([r, g, b]) => .2126 * channel(r) + .7152 * channel(g) + .0722 * channel(b);
        const over = ([r, g, b, a = 1], under) =>
          [r, g, b].map((v, i) => v * a + under[i] * (1 - a));
        const ground = element => {
          const own = element ? numbers(getComputedStyle(element).backgroundColor) : [];
          if (!element) return [255, 255, 255];
          return own.length && own[3] !== 0 ? over(own, ground(element.parentElement))
                                           : ground(element.parentElement);
        };
        const found = new Map();
        const walker = document.createTreeWalker(document.querySelector('article'), 4);
        while (walker.nextNode()) {
          const element = walker.currentNode.parentElement;
          if (!walker.currentNode.data.trim() || !element.getClientRects().length) continue;
          if (element.closest('mjx-container, .copybtn, .headerlink, script, style')) continue;
          const back = ground(element), ink = over(numbers(getComputedStyle(element).color), back);
          const [dim, bright] = [light(ink), light(back)].sort((a, b) => a - b);
          const ratio = (bright + .05) / (dim + .05);
          if (ratio < 4.5) {
            const place = element.tagName + '.' + element.className;
            found.set(place, ratio.toFixed(2) + ' ' + walker.currentNode.data.trim().slice(0, 30));
          }
        }
        return [...found].map(pair => pair.join(': ')).slice(0, 8);"""
    )
    assert faint == []


def test_the_keyboard_reaches_the_text_first(browser, address, page):
    from selenium.webdriver import ActionChains, Keys

    resize(browser, WIDE)
    browser.get(f"{address}/{page}")
    settle(browser)
    ActionChains(browser).send_keys(Keys.TAB).perform()
    focused = browser.execute_script("return document.activeElement.textContent")
    assert focused == "Skip to main content"
    ActionChains(browser).send_keys(Keys.ENTER).perform()
    assert browser.execute_script("return location.hash") == "#main-content"


def test_a_printed_page_is_the_text_alone(browser, address, page):
    resize(browser, WIDE)
    browser.get(f"{address}/{page}")
    settle(browser)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        shown = browser.execute_script(
            """return ['.bd-sidebar-primary', '.bd-sidebar-secondary', '.header-article', 'article']
              .filter(name => document.querySelector(name)?.getClientRects().length);"""
        )
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert shown == ["article"]


def test_links_lead_somewhere(browser, address, pages, page):
    browser.get(f"{address}/{page}")
    links = browser.execute_script(
        "return [...document.querySelectorAll('article a[href]')].map(a => a.href);"
    )
    for link in links:
        target, _, anchor = link.partition("#")
        if target.startswith(address):
            path = pages / unquote(target.removeprefix(address + "/"))
            assert path.exists(), link
            if anchor and path.suffix == ".html":
                assert f'id="{unquote(anchor)}"' in path.read_text("utf-8"), link
        else:
            assert link.startswith(("https://", "mailto:")), link


def test_search_finds_a_word(browser, address):
    resize(browser, WIDE)
    browser.get(f"{address}/search.html?q=repetitions")
    browser.implicitly_wait(20)
    found = browser.find_elements("css selector", "#search-results a")
    browser.implicitly_wait(0)
    assert any("How far to trust a simulation" in link.text for link in found)


def test_copy_button_copies_the_cell(browser, address):
    from selenium.webdriver import ActionChains

    resize(browser, WIDE)
    browser.get(f"{address}/chapters/x-simulations.html")
    settle(browser)
    browser.execute_cdp_cmd(
        "Browser.grantPermissions",
        {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"], "origin": address},
    )
    button = browser.find_element("css selector", ".cell_input button.copybtn")
    ActionChains(browser).move_to_element(button).click().perform()
    text = browser.execute_async_script(
        """const done = arguments[0];
        setTimeout(() => navigator.clipboard.readText().then(done), 200);"""
    )
    assert text.startswith("import numpy as np")


def test_the_book_opens_from_a_folder(browser, pages):
    """No server, no network: double-click on index.html."""
    resize(browser, WIDE)
    failures(browser)
    browser.get((pages / "chapters" / "x-simulations.html").as_uri())
    settle(browser)
    assert failures(browser) == []
    assert browser.execute_script("return !!document.querySelector('.math mjx-container')")


def test_the_check_sees_a_failed_request(browser, address):
    failures(browser)
    browser.get(f"{address}/no-such-page.html")
    assert any("404" in failure for failure in failures(browser))
