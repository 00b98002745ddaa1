"""Pictures as HTML, by their text and in a browser."""

import json
import re
import shutil
from importlib.util import find_spec

import pytest
from pictured_networks import NEEDS_KERAS, cut_tape, lstm

import gradtape as tf
from gradtape._src.inspect.pictures.page import data_of

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def test_a_page_needs_nothing_else():
    tape, loss = cut_tape()
    text = tape.graph(loss).to_html().replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|\bsrc=|\bhref=|@import|url\((?!#)", text)
    assert text.count("<script>") == text.count("</script>") == 1


def test_a_page_keeps_text_of_programs_as_text():
    x = tf.Variable(1.0, name="</script><b>")
    with tf.GradientTape(persistent=True) as tape:
        y = tf.sin(x)
    page = tape.graph(y).to_html()
    assert page.count("</script>") == 1
    assert "<b>" not in page


@NEEDS_KERAS
def test_the_data_of_a_page_are_all_boxes():
    tape, loss = lstm()
    graph = tape.graph(loss)
    data = json.loads(json.dumps(data_of(graph)))
    assert len(data["boxes"]) == len(graph.numbers)
    for box in data["boxes"].values():
        rows = [n for row in box.get("rows", []) for n in row]
        assert len(rows) == len(set(rows))
        for a, b, chain, _ in box.get("edges", []):
            assert {a, b, *chain} <= set(rows)
    assert {kind for kind, _ in data["legend"]} >= {"layer", "loop", "variable", "target"}


def test_notebooks_and_files_get_html(tmp_path):
    tape, loss = cut_tape()
    graph = tape.graph(loss)
    assert graph._repr_html_().startswith('<div class="gradtape-tape"')
    graph.save(tmp_path / "tape.html")
    assert (tmp_path / "tape.html").read_text("utf-8").startswith("<!DOCTYPE html>")


@pytest.fixture(scope="module")
def browser():
    if find_spec("playwright") is None:
        pytest.skip("playwright is not installed")
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as playwright:
        path = next(filter(None, map(shutil.which, BROWSERS)), None)
        try:
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        except Error:
            pytest.skip("no browser starts")
        yield browser
        browser.close()


@NEEDS_KERAS
def test_boxes_open_and_close_in_a_browser(browser, tmp_path):
    tape, loss = lstm()
    tape.graph(loss, depth=1).save(tmp_path / "tape.html")
    page = browser.new_page(viewport={"width": 900, "height": 700})
    wrong = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto((tmp_path / "tape.html").as_uri())
    nodes = page.locator("svg [data-node]")
    before = nodes.count()
    page.get_by_role("button", name="open memory").click()
    assert nodes.count() > before
    page.get_by_role("button", name="open 20").press("Enter")
    assert page.get_by_text("from the previous iteration").count() == 1
    page.get_by_role("button", name="show the whole picture").click()
    page.get_by_text("Transpose", exact=True).first.hover()
    assert "|g|" in page.locator(".gt-tip").inner_text()
    page.get_by_role("button", name="close memory").press("Enter")
    assert nodes.count() == before
    stage = page.locator(".gt-view > svg > g")
    scale = stage.get_attribute("transform")
    page.get_by_role("button", name="zoom in").click()
    assert stage.get_attribute("transform") != scale
    page.get_by_role("button", name="open all").click()
    assert page.locator("[aria-expanded=false]").count() == 0
    page.close()
    assert not wrong


@pytest.mark.slow
@NEEDS_KERAS
def test_the_browser_places_boxes_where_the_svg_has_them(browser, tmp_path):
    tape, loss = lstm()
    graph = tape.graph(loss)
    graph.save(tmp_path / "tape.html")
    _, width, height = graph.drawing()
    page = browser.new_page()
    page.goto((tmp_path / "tape.html").as_uri())
    stage = page.locator(".gt-view > svg > g")
    scale = float(stage.get_attribute("transform").partition("scale(")[2].rstrip(")"))
    box = stage.bounding_box()
    page.close()
    assert box["width"] / scale + 28 == pytest.approx(width, abs=16)
    assert box["height"] / scale + 28 == pytest.approx(height, abs=16)
