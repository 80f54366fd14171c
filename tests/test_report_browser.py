"""The report in a real browser: Debian's chromium-headless-shell, driven by playwright."""

import os
import shutil

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from tests.hostile_names import NAMES
from thresher import MRMR, Ensemble
from thresher.report import render_report
from thresher.report._page import label

pytestmark = pytest.mark.xdist_group("browser")

DESK = {"width": 1100, "height": 900}


@pytest.fixture(scope="module")
def browser():
    # Debian has the first, machines of GitHub with Ubuntu the second.
    executable = shutil.which("chromium-headless-shell") or shutil.which("google-chrome")
    if executable is None:
        is_wanted = os.environ.get("THRESHER_BROWSER") != "no"  # make test BROWSER=no
        fail_or_skip = pytest.fail if os.environ.get("CI") == "true" and is_wanted else pytest.skip
        fail_or_skip("chromium-headless-shell is not installed (make browser)")
    if "LD_PRELOAD" in os.environ:
        pytest.skip("no browser runs with the sanitizers")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        # The sandbox is not for root, as which containers run; the pages are our own.
        browser = driver.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def cancer_page(tmp_path_factory):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    page = render_report(Ensemble(MRMR(12)).fit(X, y), X, y, source="cancer", notes=["a note"])
    path = tmp_path_factory.mktemp("report") / "cancer.html"
    path.write_text(page)
    return path


class Visit:
    """A page opened offline, with its errors and its requests."""

    def __init__(self, browser, path, **context):
        context.setdefault("viewport", DESK)
        self.context = browser.new_context(offline=True, **context)
        self.page = self.context.new_page()
        self.complaints = []
        self.requests = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()


def names_shown(page):
    return page.eval_on_selector_all(
        "#rows tr:not([hidden]) td.name", "cells => cells.map(cell => cell.textContent)"
    )


def test_hostile_names_are_text_and_nothing_else(browser, tmp_path):
    assert len(NAMES) >= 60
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 3, (60, len(NAMES))), columns=NAMES)
    y = np.array(["<img src=x onerror=pwned=1>", "</script><script>pwned=1</script>"])[
        X.iloc[:, 0] % 2
    ]
    evil = "</title></h1></script><script>window.pwned=1</script>"
    path = tmp_path / "hostile.html"
    # Once with most names in the charts, once with most in the table alone.
    for n_chosen in (len(NAMES) - 5, 5):
        selector = Ensemble(MRMR(n_chosen), 5).fit(X, y)
        page = render_report(selector, X, y, title=evil, source=evil, target=evil, notes=NAMES)
        path.write_text(page, encoding="utf-8")
        with Visit(browser, path) as visit:
            shown = visit.page
            assert sorted(names_shown(shown)) == sorted(label(name) or "''" for name in NAMES)
            assert shown.inner_text("h1").startswith("</title></h1>")
            for name in shown.query_selector_all("svg text")[:20]:
                name.hover(force=True)
            shown.fill("#search", "<script>")
            shown.click("th[data-key=name] button")
            assert shown.evaluate("typeof window.pwned") == "undefined"
            assert shown.evaluate("document.scripts.length") == 2
            kinds = shown.evaluate(
                "[...new Set([...document.querySelectorAll('*')].map(e => e.localName))]"
            )
            assert not {"img", "iframe", "object", "embed", "a", "base", "link", "form"} & set(
                kinds
            )
            attributes = shown.evaluate(
                "[...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames())"
            )
            assert not [name for name in set(attributes) if name.startswith("on")]
            assert "href" not in attributes
            assert visit.complaints == []
            assert visit.requests == [path.as_uri()]


def test_the_policy_stops_what_escaping_would_have_missed(browser, cancer_page):
    with Visit(browser, cancer_page) as visit:
        visit.page.evaluate(
            """() => {
                const script = document.createElement("script");
                script.textContent = "window.pwned = 1";
                document.body.append(script);
                const markup = "<img src=x onerror='window.pwned=1'><p id=p style='color:red'>x";
                document.body.insertAdjacentHTML("beforeend", markup);
            }"""
        )
        visit.page.wait_for_timeout(50)
        assert visit.page.evaluate("typeof window.pwned") == "undefined"
        colour = visit.page.evaluate("getComputedStyle(document.getElementById('p')).color")
        assert colour != "rgb(255, 0, 0)"
        assert len([text for text in visit.complaints if "Content Security Policy" in text]) >= 3


def test_the_slider_marks_the_first_features_everywhere(browser, cancer_page):
    with Visit(browser, cancer_page) as visit:
        page = visit.page
        assert page.inner_text("#k-shown") == "12 features"
        page.keyboard.press("ArrowLeft")  # from anywhere on the page
        assert page.inner_text("#k-shown") == "11 features"
        page.focus("#k")
        page.keyboard.press("Home")
        assert page.inner_text("#k-shown") == "1 feature"
        assert page.locator("#names li:not(.off)").count() == 1
        assert page.locator("svg g.step:not(.off)").count() == 1
        assert page.locator("#rows tr:not(.off)").count() == 1
        page.keyboard.press("End")
        assert page.locator("#names li:not(.off)").count() == 12
        assert visit.complaints == []


def test_the_table_is_sorted_and_searched_by_mouse_and_keyboard(browser, cancer_page):
    with Visit(browser, cancer_page) as visit:
        page = visit.page
        first = names_shown(page)
        page.click("th[data-key=relevance] button")
        column = page.eval_on_selector_all(
            "#rows tr", "rows => rows.map(r => Number(r.children[3].textContent))"
        )
        assert column == sorted(column, reverse=True)
        page.keyboard.press("Enter")  # the button has the focus: the other way round
        assert page.get_attribute("th[data-key=relevance]", "aria-sort") == "ascending"
        page.click("th[data-key=name] button")
        assert names_shown(page) == sorted(first)
        page.click("th[data-key=step] button")
        assert names_shown(page)[:12] == first[:12]
        page.click("h1")
        page.keyboard.press("/")
        page.keyboard.type("worst TEXTURE")
        assert names_shown(page) == ["worst texture"]
        assert page.inner_text("#found") == "1 found"
        page.keyboard.press("Escape")
        assert len(names_shown(page)) == 30
        assert visit.complaints == []


def test_hovering_shows_the_numbers(browser, cancer_page):
    with Visit(browser, cancer_page) as visit:
        assert visit.page.is_hidden("#tip")
        visit.page.hover("svg g.step rect.relevance >> nth=0")
        assert visit.page.inner_text("#tip").startswith("worst concave points: relevance 0.6")
        visit.page.hover("h1")
        assert visit.page.is_hidden("#tip")


def luminance(visit, what):
    colour = visit.page.evaluate(f"getComputedStyle(document.querySelector('{what[0]}')).{what[1]}")
    red, green, blue = (int(part) for part in colour.strip("rgb()").split(",")[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_it_is_light_or_dark_and_readable_in_both(browser, cancer_page):
    papers = {}
    for scheme in ("light", "dark"):
        with Visit(browser, cancer_page, color_scheme=scheme) as visit:
            papers[scheme] = luminance(visit, ("body", "backgroundColor"))
            for what in (("body", "color"), ("svg text", "fill"), ("svg rect.relevance", "fill")):
                assert abs(luminance(visit, what) - papers[scheme]) > 80
    assert papers["dark"] < 50 < 200 < papers["light"]


def test_a_narrow_window_scrolls_charts_not_the_page(browser, cancer_page):
    with Visit(browser, cancer_page, viewport={"width": 360, "height": 700}) as visit:
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_printing_leaves_the_controls_out(browser, cancer_page):
    with Visit(browser, cancer_page) as visit:
        visit.page.emulate_media(media="print")
        assert visit.page.is_hidden("#k")
        assert visit.page.is_hidden("#search")
        assert visit.page.is_visible("#rows")
        assert visit.page.is_visible("#names")


def test_a_page_in_dark_is_printed_light_and_whole(browser, cancer_page):
    with Visit(browser, cancer_page, color_scheme="dark") as visit:
        visit.page.emulate_media(media="print", color_scheme="dark")
        assert luminance(visit, ("body", "backgroundColor")) > 200
        assert luminance(visit, ("body", "color")) < 80
        assert not visit.page.is_visible("details table")
        visit.page.pdf()
        assert visit.page.is_visible("details table")


@pytest.mark.parametrize(
    "letters",
    ["ENSG0000_gene_", "WWWWWWWWWWWW", "mmmmmmmmmmmmm", "東京都港区芝公園四丁目", "i_l_i_l_i_l_i_"],
)
def test_long_names_are_not_cut_by_the_edge_of_a_chart(letters, browser, tmp_path):
    rng = np.random.default_rng(0)
    names = [f"{letters}{letters}{i}" for i in range(6)]
    X = pd.DataFrame(rng.normal(size=(30, 6)), columns=names)
    path = tmp_path / "long.html"
    y = np.arange(30) % 2
    path.write_text(render_report(Ensemble(MRMR(3), 5).fit(X, y), X, y), encoding="utf-8")
    with Visit(browser, path) as visit:
        edges = visit.page.eval_on_selector_all(
            "svg text", "all => all.map(text => text.getBBox().x)"
        )
        assert len(edges) > 12
        assert min(edges) >= 0
    path.write_text(MRMR(3).fit(X, y)._repr_html_(), encoding="utf-8")
    with Visit(browser, path) as visit:
        boxes = "all => all.map(text => text.getBBox().x)"
        assert min(visit.page.eval_on_selector_all("svg text", boxes)) >= 0


def test_a_hundred_thousand_features_open(browser, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (20, 100_000), dtype=np.int8)
    path = tmp_path / "wide.html"
    path.write_text(render_report(MRMR(20).fit(X, X[:, 7]), X, X[:, 7]))
    assert path.stat().st_size < 2_000_000
    with Visit(browser, path) as visit:
        assert len(names_shown(visit.page)) == 1500
        assert visit.complaints == []


def test_the_text_after_a_long_table_is_near_and_in_print_the_table_is_complete(browser, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (20, 500))
    path = tmp_path / "long.html"
    path.write_text(render_report(MRMR(5).fit(X, X[:, 7]), X, X[:, 7]))
    heights = "[document.querySelector('.long').clientHeight, document.querySelector('#rows').clientHeight]"
    with Visit(browser, path, viewport={"width": 900, "height": 600}) as visit:
        box, rows = visit.page.evaluate(heights)
        assert box < 600 < rows
        visit.page.focus(".long")
        assert "long" in visit.page.evaluate("document.activeElement.className")  # keys scroll it
        visit.page.emulate_media(media="print")
        box, rows = visit.page.evaluate(heights)
        assert box >= rows
