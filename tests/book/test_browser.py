"""Open every page of the built book in headless Chromium, as a reader would.

Skipped, with the reason, where Chromium or its driver is not installed; `.ci/run`
installs both. With BETTERTHAN_SCREENSHOTS=1 pictures of all pages are left in
`_build/screenshots`.
"""

from __future__ import annotations

import functools
import gzip
import http.server
import json
import os
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


def visit(browser, url: str, size: tuple[int, int], *, narrow: bool = False) -> None:
    """Load a page in a window of that size; the page before is not laid out again for it."""
    browser.execute_script("document.documentElement.style.display = 'none'")
    resize(browser, size, narrow=narrow)
    failures(browser)
    open_page(browser, url)
    settle(browser)


def open_page(browser, url: str) -> None:
    """Go to a page and wait until all of it is there: Chromium 150 now and then returns before."""
    from selenium.webdriver.support.ui import WebDriverWait

    browser.get(url)
    arrived = """return document.readyState === "complete"
      && document.URL.split("#")[0] === arguments[0].split("#")[0];"""
    WebDriverWait(browser, 60, poll_frequency=0.05).until(
        lambda browser: browser.execute_script(arrived, url), f"{url} was not loaded"
    )


def resize(browser, size: tuple[int, int], *, narrow: bool = False) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": narrow},
    )


def failures(browser) -> list[str]:
    """Requests that failed and errors on the console since the last call."""
    found = [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
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


WHOLE = """
const article = document.querySelector('article');
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
  links: [...document.querySelectorAll('article a[href]')]
    .map(a => new URL(a.getAttribute('href'), location).href), // those in a picture, too
  description: document.querySelector('meta[name=description]')?.content ?? '',
  files: ['navigation', 'resource'].flatMap(kind => performance.getEntriesByType(kind))
    .map(entry => decodeURI(new URL(entry.name).pathname)),
};"""
# WCAG's contrast of 4.5, for every piece of text in the article.
FAINT = """
const channel = v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
const numbers = colour => (colour.match(/[\\d.]+/g) || []).map(Number);
const light = ([r, g, b]) => .2126 * channel(r) + .7152 * channel(g) + .0722 * channel(b);
const over = ([r, g, b, a = 1], under) =>
  [r, g, b].map((v, i) => v * a + under[i] * (1 - a));
const grounds = new Map([[null, [255, 255, 255]]]); // many texts stand on the same ground
const ground = element => {
  if (grounds.has(element)) return grounds.get(element);
  const own = numbers(getComputedStyle(element).backgroundColor);
  const under = ground(element.parentElement);
  grounds.set(element, own.length && own[3] !== 0 ? over(own, under) : under);
  return grounds.get(element);
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
TOO_WIDE = """
const width = document.documentElement.clientWidth;
return document.documentElement.scrollWidth > width + 1
  ? [...document.querySelectorAll('article *')]
      .filter(e => e.getBoundingClientRect().right > width + 1)
      .slice(0, 3).map(e => e.tagName + '.' + e.className) : [];"""
# Pictures that are not seen whole on a phone, and those that cannot be enlarged from there.
NOT_WHOLE = """
const width = document.documentElement.clientWidth, found = [];
const name = picture =>
  picture.closest('figure')?.id || picture.getAttribute('src') || picture.className;
for (const picture of document.querySelectorAll('article img, article figure > *, article svg')) {
  const box = picture.getBoundingClientRect();
  if (box.width && (box.left < -1 || box.right > width + 1))
    found.push('cut off: ' + name(picture));
}
for (const figure of document.querySelectorAll('article .cell_output figure')) {
  const image = figure.querySelector('img'), button = figure.querySelector('button.enlarge');
  if (!image?.getClientRects().length) continue;
  const before = image.getBoundingClientRect().width;
  button?.click();
  const after = image.getBoundingClientRect().width;
  const larger = after > 1.2 * before && figure.scrollWidth >= after - 1;
  if (image.naturalWidth > 2.2 * before && !larger)
    found.push('cannot be enlarged: ' + name(image));
  if (document.documentElement.scrollWidth > width + 1)
    found.push('pushes the page: ' + name(image));
  button?.click();
}
return found;"""
# Lines of an output that end outside of its box and are no row of a table; pictures that are
# blurred or pulled out of shape; headings of tables that do not stand over their column.
SHOWN = """
const found = [];
for (const output of document.querySelectorAll('div.cell_output pre')) {
  const walker = document.createTreeWalker(output, 4), box = output.getBoundingClientRect();
  while (output.clientWidth && walker.nextNode()) {
    const node = walker.currentNode, range = document.createRange();
    for (const match of node.data.matchAll(/[^\\n]+/g)) {
      if (match[0].length <= 60 || /\\S {2,}\\S/.test(match[0])) continue;
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      if (range.getBoundingClientRect().right > box.right + 1)
        found.push('cut off: ' + match[0].slice(0, 60));
    }
  }
}
for (const image of document.querySelectorAll('.cell_output figure img')) {
  const [wide, high] = [image.offsetWidth, image.offsetHeight];
  if (!wide) continue;
  const shape = wide / high / (image.naturalWidth / image.naturalHeight);
  if (Math.abs(shape - 1) > .02 || image.naturalWidth < 1.9 * wide)
    found.push(`picture of ${image.naturalWidth} pixels, ${wide} x ${high}: ${image.src}`);
}
for (const table of document.querySelectorAll('table.dataframe')) {
  const rows = [...table.tBodies[0].rows], heads = [...(table.tHead?.rows ?? [])].at(-1);
  const last = [...(heads?.cells ?? [])].reverse();
  last.forEach((head, place) => {
    const cells = rows.map(row => [...row.cells].at(-1 - place)).filter(c => c?.tagName === 'TD');
    const right = cells.filter(c => getComputedStyle(c).textAlign === 'right').length;
    const wanted = right > cells.length / 2 ? 'right' : 'left';
    if (cells.length && head.textContent.trim() && getComputedStyle(head).textAlign !== wanted)
      found.push('heading not over its column: ' + head.textContent);
  });
}
return found;"""
NO_BUTTON = """
return [...document.querySelectorAll('article button.copybtn')]
  .filter(b => b.getClientRects().length && getComputedStyle(b).opacity !== '1').length;"""
# Explorables that are not alive, wider than their box, or still show the picture for notebooks.
STILL = """
return [...document.querySelectorAll('.explore')].filter(e => !e.explore
  || e.querySelector('.explore-still')?.getClientRects().length !== 0
  || [...e.querySelectorAll('svg')].some(
       picture => picture.getBoundingClientRect().width > e.clientWidth))
  .map(e => e.dataset.explore);"""
LIVE_ON_PAPER = """
return [...document.querySelectorAll('.explore')].filter(e =>
  e.querySelector('.explore-live').getClientRects().length
  || e.querySelector('.explore-still').getClientRects().length !== 1)
  .map(e => e.dataset.explore);"""
PRINTED = """
return ['.bd-sidebar-primary', '.bd-sidebar-secondary', '.header-article', 'article']
  .filter(name => document.querySelector(name)?.getClientRects().length);"""


def whole(state: dict, page: str) -> list[str]:
    """What is missing on a page: formulas, alt text, pictures, buttons."""
    found = [f"{kind}: {state[kind]}" for kind in ("unset", "mistakes", "mute", "broken")]
    found = [fault for fault in found if not fault.endswith("[]")]
    launchers = [url.split("/")[2] for url in state["launch"]]
    if page.endswith(notebook_pages()) and launchers != LAUNCHERS:
        found.append(f"launch buttons: {launchers}")
    if state["buttons"] != state["cells"] or state["icons"] <= 3 or state["language"] != "en":
        found.append(f"buttons, icons or language: {state}")
    if not 40 <= len(state["description"]) <= 170:
        found.append(f"description: {state['description']!r}")
    if page == "chapters/x-simulations.html" and not (state["formulas"] and state["cells"]):
        found.append("no formula, no cell: the checks see nothing")
    return found


def weight(files: list[str], pages: Path) -> int:
    """What a first visit costs, with texts compressed as web servers send them."""
    assert len(files) > 5
    return sum(sent(pages / name.lstrip("/")) for name in set(files))


@functools.cache  # pages share most of their files
def sent(path: Path) -> int:
    data = path.read_bytes()
    return len(data if path.suffix in (".png", ".woff", ".woff2") else gzip.compress(data))


def dead(links: list[str], address: str, pages: Path) -> list[str]:
    """Links that lead nowhere."""
    found = []
    for link in links:
        target, _, anchor = link.partition("#")
        path = pages / unquote(target.removeprefix(address + "/"))
        if not target.startswith(address):
            if not link.startswith(("https://", "mailto:")):
                found.append(link)
        elif not path.exists() or (
            anchor and path.suffix == ".html" and f'id="{unquote(anchor)}"' not in text(path)
        ):
            found.append(link)
    return found


@functools.cache
def text(path: Path) -> str:
    return path.read_text("utf-8")


def test_a_page(browser, address, pages, page):
    """Wide, as from the web."""
    from selenium.webdriver import ActionChains, Keys

    assert (pages / page).exists(), f"{page} is not in the table of contents"
    faults = {}
    visit(browser, f"{address}/{page}", WIDE)
    state = browser.execute_script(WHOLE)
    faults["requests and console"] = failures(browser)
    faults["whole"] = whole(state, page)
    faults["dead links"] = dead(state["links"], address, pages)
    heavy = weight(state["files"], pages)
    faults["weight"] = [] if heavy < HEAVIEST else [f"{heavy / 1e6:.1f} MB"]
    faults["wider than a wide window"] = browser.execute_script(TOO_WIDE)
    faults["shown"] = browser.execute_script(SHOWN)
    faults["explorables"] = browser.execute_script(STILL)
    shoot(browser, page, "wide", WIDE)
    for theme in ("light", "dark"):
        choose_theme(browser, theme)
        faults[f"faint when {theme}"] = browser.execute_script(FAINT)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    shown = browser.execute_script(PRINTED)
    faults["explorables on paper"] = browser.execute_script(LIVE_ON_PAPER)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    faults["printed beside the text"] = [part for part in shown if part != "article"]
    ActionChains(browser).send_keys(Keys.TAB).perform()
    first = browser.execute_script("return document.activeElement.textContent")
    ActionChains(browser).send_keys(Keys.ENTER).perform()
    hash_ = browser.execute_script("return location.hash")
    reached = (first, hash_) == ("Skip to main content", "#main-content")
    faults["keyboard"] = [] if reached else [f"{first!r}, {hash_}"]
    assert {check: found for check, found in faults.items() if found} == {}


def test_a_page_on_a_phone(browser, pages, page):
    """Narrow, and from a folder: a browser that has just seen the web takes longer for it."""
    faults = {}
    visit(browser, (pages / page).as_uri(), NARROW, narrow=True)
    faults["requests and console"] = failures(browser)
    faults["wider than a phone"] = browser.execute_script(TOO_WIDE)
    faults["pictures"] = browser.execute_script(NOT_WHOLE)
    faults["shown"] = browser.execute_script(SHOWN)
    faults["explorables"] = browser.execute_script(STILL)
    for theme in ("light", "dark"):
        choose_theme(browser, theme)
        faults[f"faint when {theme}"] = browser.execute_script(FAINT)
    hidden = browser.execute_script(NO_BUTTON)
    faults["copy buttons"] = [f"{hidden} cannot be seen without a mouse"] if hidden else []
    shoot(browser, page, "narrow", NARROW)
    assert {check: found for check, found in faults.items() if found} == {}


def shoot(browser, page: str, label: str, size: tuple[int, int]) -> None:
    """Pictures of the page in both themes, if BETTERTHAN_SCREENSHOTS is set: to look at."""
    if not os.environ.get("BETTERTHAN_SCREENSHOTS"):
        return
    SHOTS.mkdir(parents=True, exist_ok=True)
    height = browser.execute_script("return document.querySelector('article').scrollHeight")
    resize(browser, (size[0], min(height + 400, 12000)), narrow=label == "narrow")
    for theme in ("light", "dark"):
        choose_theme(browser, theme)
        settle(browser)
        browser.get_screenshot_as_file(str(SHOTS / f"{Path(page).stem}-{label}-{theme}.png"))
    resize(browser, size, narrow=label == "narrow")


def test_the_checks_see_what_is_wrong(browser, address):
    visit(browser, f"{address}/chapters/x-simulations.html", NARROW, narrow=True)
    browser.execute_script(
        """const article = document.querySelector('article');
        article.insertAdjacentHTML('beforeend', `<p style="color: #ddd; background: #fff">faint</p>
          <div style="width: 3000px">wide</div><img src="gone.png">
          <figure id="wide" style="overflow: auto"><div style="width: 700px">-</div></figure>
          <div class="cell_output"><pre class="aligned">${"a word and ".repeat(30)}</pre>
          <table class="dataframe"><thead><tr><th class="number">n</th></tr></thead>
          <tbody><tr><td>one</td></tr></tbody></table></div>
          <div class="explore" data-explore="dead"><p class="explore-live">here</p>
          <p class="explore-still">there</p></div>`);
        article.querySelector(".copybtn").style = "transition: none; opacity: 0";
        """
    )
    shown = " ".join(browser.execute_script(SHOWN))
    assert "cut off" in shown and "heading" in shown
    assert browser.execute_script(NO_BUTTON)
    assert "cut off: wide" in browser.execute_script(NOT_WHOLE)
    assert browser.execute_script(STILL) == browser.execute_script(LIVE_ON_PAPER) == ["dead"]
    assert any("faint" in found for found in browser.execute_script(FAINT))
    assert browser.execute_script(TOO_WIDE)
    state = browser.execute_script(WHOLE)
    assert whole(state, "chapters/x-simulations.html")
    assert dead([f"{address}/gone.html", "http://b"], address, Path("nowhere"))
    failures(browser)


def test_which_test_is_a_picture_of_links(browser, address):
    """Wide, one can tab through it and nothing leaves its box; on a phone the list is there."""
    from selenium.webdriver import ActionChains, Keys

    visit(browser, f"{address}/chapters/x-which-test.html", WIDE)
    outside = browser.execute_script(
        """const boxes = [...document.querySelectorAll('svg.routes rect')].map(r => r.getBBox());
        return [...document.querySelectorAll('svg.routes text:not(.family)')].filter(text => {
          const own = text.getBBox();
          return !boxes.some(box => box.x <= own.x && own.x + own.width <= box.x + box.width
            && box.y <= own.y + 2 && own.y + own.height <= box.y + box.height + 2);
        }).map(text => text.textContent);"""
    )
    assert outside == []
    browser.execute_script("document.querySelector('svg.routes a').focus()")
    ActionChains(browser).send_keys(Keys.TAB).perform()
    second = browser.execute_script(
        "return document.activeElement === document.querySelectorAll('svg.routes a')[1]"
    )
    assert second
    ActionChains(browser).send_keys(Keys.ENTER).perform()
    assert browser.current_url.endswith("chapters/2-is-b-better.html#take-it-home")
    resize(browser, NARROW, narrow=True)
    open_page(browser, f"{address}/chapters/x-which-test.html")
    assert not browser.find_element("css selector", "svg.routes").is_displayed()
    assert browser.find_element("link text", "Is B better than A?").is_displayed()


def test_search_finds_a_word(browser, address):
    resize(browser, WIDE)
    open_page(browser, f"{address}/search.html?q=repetitions")
    browser.implicitly_wait(20)
    found = browser.find_elements("css selector", "#search-results a")
    browser.implicitly_wait(0)
    assert any("How far to trust a simulation" in link.text for link in found)


def test_copy_button_copies_the_cell(browser, address):
    from selenium.webdriver import ActionChains

    visit(browser, f"{address}/chapters/x-simulations.html", WIDE)
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
    visit(browser, (pages / "chapters" / "x-simulations.html").as_uri(), WIDE)
    assert failures(browser) == []
    assert browser.execute_script("return !!document.querySelector('.math mjx-container')")


def test_the_check_sees_a_failed_request(browser, address):
    failures(browser)
    open_page(browser, f"{address}/no-such-page.html")
    assert any("404" in failure for failure in failures(browser))


def test_the_title_of_a_folded_solution_opens_it(browser, address):
    visit(browser, f"{address}/chapters/2-is-b-better.html", WIDE)
    title = browser.find_element("css selector", ".solution.dropdown > .admonition-title")
    content = browser.find_element("css selector", ".solution.dropdown section")
    assert not content.is_displayed() and not title.find_elements("css selector", "a")
    browser.execute_script(
        "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", title
    )
    title.click()
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, 10).until(lambda _: content.is_displayed())  # it unfolds
    assert "#" not in browser.current_url


FIGURES = """
return [...document.querySelectorAll('.cell_output img')].map((image) => {
  const style = getComputedStyle(image);
  const width = image.getBoundingClientRect().width, scale = width / image.naturalWidth;
  const letters = scale * 220 * 10 / 72;
  return {width, letters, filter: style.filter, blend: style.mixBlendMode}; });"""


def test_figures_can_be_read_in_the_dark_and_on_a_phone(browser, address):
    """A phone shows a picture whole, and after one tap ten points of it are 10 px or more.

    So does one without a caption, and the tap does not follow the link to the picture's file. In
    the dark the ink is turned round.
    """
    visit(browser, f"{address}/chapters/3-how-many-datasets.html", NARROW, narrow=True)
    choose_theme(browser, "light")
    whole = browser.execute_script(FIGURES)
    assert len(whole) > 3 and all(figure["filter"] == "none" for figure in whole)
    assert all(figure["width"] <= NARROW[0] for figure in whole)
    browser.execute_script(
        "document.querySelectorAll('.cell_output img').forEach((image) => image.click())"
    )
    settle(browser)  # long enough to go where a link leads
    assert browser.current_url.endswith("chapters/3-how-many-datasets.html")
    tapped = browser.execute_script(FIGURES)
    assert min(figure["letters"] for figure in tapped) >= 10
    choose_theme(browser, "dark")
    for figure in browser.execute_script(FIGURES):
        assert figure["filter"].startswith("invert(1) hue-rotate(190deg)")
        assert figure["blend"] == "screen"
    choose_theme(browser, "light")
