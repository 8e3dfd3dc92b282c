"""Solved tables before the flop on the page: seats, lines, grids, charts, training, a hand played."""

import re

import pytest

from equilibrist.games.tables.table import Table
from equilibrist.solvers.tables.solve_table import solve_table
from web_server import ACCESSIBILITY, picture, start_server

pytestmark = pytest.mark.browser
expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing; try: make browser").expect


@pytest.fixture(scope="module")
def server(chromium, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    menu = {"open": "2.5x", "3bet": "a", "limp": True}
    solve_table(Table(stacks=[12, 8, 10], blinds=[0.5, 1], menu=menu), iterations=40).save(folder / "three.eqb")
    process, link = start_server(folder / "data", str(folder / "three.eqb"))
    yield link
    process.terminate()
    process.wait()


def test_a_table_is_walked_by_its_seats(open_page):
    page = open_page("/strategy/three.eqb")
    expect(page.locator("#seats tbody tr")).to_have_count(3)
    expect(page.locator("#values")).to_contain_text("SB")
    page.locator('.step.here button[data-action="r2.5"]').click()
    expect(page).to_have_url(re.compile(r"line=r2.5$"))
    expect(page.locator(".step.here header")).to_contain_text("SB")
    expect(page.locator("#pot")).to_have_text("4")
    page.locator('.cell[data-class="AKs"]').click()
    expect(page.locator("#infosets tbody tr")).to_have_count(1)
    expect(page.locator("#infosets")).to_contain_text("AKs")
    picture(page, "table")
    page.locator("#mode").select_option("ev")
    expect(page.locator('.cell[data-class="AA"]')).to_contain_text(re.compile(r"\d"))
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(ACCESSIBILITY) == {"nameless": [], "pale": []}


def test_every_seat_has_a_chart(open_page):
    page = open_page("/strategy/three.eqb")
    page.get_by_role("button", name="Chart of BB").click()
    expect(page).to_have_url(re.compile("chart=BB$"))
    expect(page.locator("#chart figure")).to_have_count(6)
    picture(page, "table-chart")
    assert page.evaluate(ACCESSIBILITY) == {"nameless": [], "pale": []}
    page.locator("#chart figure").first.locator("figcaption button").click()
    expect(page).to_have_url(re.compile("line="))
    expect(page.locator(".step.here header")).to_contain_text("BB")
    linked = open_page("/strategy/three.eqb?chart=SB")
    expect(linked.locator("#chart")).to_contain_text("SB: its most frequent decisions")


def test_training_and_playing_at_a_table(open_page):
    page = open_page("/train")
    page.get_by_role("link", name="three.eqb").click()
    page.locator(".acts button").first.click()
    expect(page.locator("#grade")).to_contain_text(re.compile(r"You gave away [\d.]+ bb"))
    page.locator("main select").select_option("BB")
    expect(page.locator(".felt")).to_contain_text("you are BB")
    assert page.evaluate(ACCESSIBILITY) == {"nameless": [], "pale": []}
    page = open_page("/strategy/three.eqb")
    page.locator("#play-strategy").click()
    expect(page.locator("#felt")).to_contain_text("you are BTN")
    page.locator('.acts button[data-action="f"]').click()
    expect(page.locator("#result")).to_be_visible()
    expect(page.locator("main")).to_contain_text("solved")
    page.locator("#next").click()
    expect(page.locator("#felt")).to_contain_text("you are SB")
