"""Solved games of every kind on the page: walked, drawn as tables or grids, linked, played."""

import re
from pathlib import Path

import httpx
import pytest

import equilibrist as eq
from web_server import ACCESSIBILITY, API, picture, start_server

pytestmark = pytest.mark.browser
expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing; try: make browser").expect
PREVIOUS = Path(__file__).parents[2] / "data" / "previous"


@pytest.fixture(scope="module")
def server(chromium, tmp_path_factory):
    """A server that was started with files of several kinds."""
    folder = tmp_path_factory.mktemp("games")
    for name, game, options in (
        ("leduc", "leduc", {"solver": "dcfr"}),
        ("dice", "liars-dice(faces=3)", {"solver": "dcfr"}),
        ("boards", "leduc", {"solver": "dcfr(on=boards)"}),
    ):
        eq.solve(game, iterations=100, **options).save(folder / f"{name}.eqb")
    files = [str(folder / f"{name}.eqb") for name in ("leduc", "dice", "boards")]
    process, link = start_server(
        folder / "data", *files, str(PREVIOUS / "buckets.eqb"), str(PREVIOUS / "blueprint.eqb")
    )
    yield link
    process.terminate()
    process.wait()


def test_the_library_leads_to_strategies_of_every_kind(open_page):
    page = open_page("/library")
    rows = page.locator("#strategies tbody tr")
    expect(rows).to_have_count(5)
    picture(page, "strategies")
    page.get_by_role("link", name="leduc.eqb").click()
    expect(page.locator("#infosets tbody tr")).to_have_count(6)
    expect(page.locator("#gap")).to_contain_text("chips")
    picture(page, "strategy")
    assert page.evaluate(ACCESSIBILITY) == {"nameless": [], "pale": []}


def test_leduc_is_walked_by_clicks_keys_and_links(open_page):
    page = open_page("/strategy/leduc.eqb")
    page.locator(".step.here button[data-action=x]").click()
    expect(page).to_have_url(re.compile("line=x$"))
    expect(page.locator(".step.here header")).to_contain_text("Player 2")
    page.keyboard.press("1")
    expect(page).to_have_url(re.compile(r"line=x:x:\w+"))
    page.locator("#came").select_option(label="Kd")
    expect(page).to_have_url(re.compile(r"line=x:x:Kd"))
    expect(page.locator("#infosets tbody tr")).to_have_count(5)  # the card on the table is nobody's
    other = open_page("/strategy/leduc.eqb?line=x:x:Kd")
    expect(other.locator(".step")).to_have_count(3)
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile("line=x$"))
    page.go_back()
    expect(page).to_have_url(re.compile(r"line=x:x:Kd"))


def test_other_kinds_are_drawn(open_page):
    page = open_page("/strategy/dice.eqb")
    expect(page.locator("#infosets tbody tr")).to_have_count(3)
    page.locator(".step.here button[data-action='1x2']").click()
    expect(page.locator(".step")).to_have_count(2)
    page = open_page("/strategy/boards.eqb?line=x:x")
    page.locator("#coming button").first.click()
    expect(page.locator("#infosets tbody tr").first).to_be_visible()
    page = open_page("/strategy/buckets.eqb")
    expect(page.locator("#infosets tbody tr").first).to_be_visible()
    expect(page.locator("#gap")).not_to_contain_text("NaN")
    page = open_page("/strategy/blueprint.eqb")
    expect(page.locator(".step.here button").first).to_be_visible()


def test_a_strategy_is_played_against(open_page):
    page = open_page("/strategy/leduc.eqb")
    page.locator("#play-strategy").click()
    expect(page.locator("#felt")).to_be_visible()
    expect(page.get_by_role("heading", name="Against leduc.eqb")).to_be_visible()
    page.goto("/play")
    page.locator("#agent").select_option("leduc.eqb")
    expect(page.get_by_role("link", name="Look at its strategy")).to_be_visible()
    page.locator("#sit").click()
    expect(page.locator("#felt")).to_be_visible()


def test_marks_in_names_are_shown_as_text(server):
    """The name of a game is text of a file; the page never takes it for markup."""
    assert "innerHTML" not in httpx.get(f"{server}/static/js/strategy.js").text
    assert httpx.get(f"{server}{API}/strategies").headers["content-security-policy"].startswith("default-src 'self'")
