"""The page in a real Chromium: solve, walk, lock, share, learn, play, train; no errors on the console; labels and contrast.

`make browser` installs what these tests need; `EQUILIBRIST_SCREENSHOTS=docs/images` keeps pictures of the main views there.
"""

import json
import re
import time
from urllib.parse import quote

import httpx
import pytest

from web_server import ACCESSIBILITY, API, RIVER, SECONDS, TURN, picture

pytestmark = pytest.mark.browser
expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing; try: make browser").expect

WIDE_TURN = TURN | {
    "stack": 900,
    "range": {
        "oop": "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s",
        "ip": "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+",
    },
    "bets": {"bet": "33%, 75%, 150%", "raise": "60%, a"},
}


@pytest.fixture(scope="module")
def turn(server):
    """A solved turn."""
    job = httpx.post(f"{server}{API}/jobs", json={"spot": WIDE_TURN, "until": "1%", "name": "a turn"}).json()["id"]
    while (status := httpx.get(f"{server}{API}/jobs/{job}").json()["status"]) in ("queued", "running"):
        time.sleep(0.1)
    assert status == "done"
    return job


def test_a_river_is_solved_from_nothing_walked_locked_and_shared(open_page):
    page = open_page("/solve")
    page.get_by_role("button", name="Clear").first.click()
    expect(page.get_by_role("alert").filter(has_text="three cards")).to_be_visible()
    for name in ("T of diamonds", "9 of diamonds", "6 of hearts", "Q of clubs", "2 of spades"):
        page.get_by_role("button", name=name, exact=True).click()
    page.get_by_label("Range of OOP as text").fill("QQ+,AK,JTs,87s,A5s:0.5")
    page.get_by_label("Range of OOP as text").blur()
    expect(page.locator("#range-oop .cell[data-class=A5s]")).to_contain_text("50")
    page.locator("#range-oop .cell[data-class=KJs]").click()  # painted, and written back as text
    expect(page.get_by_label("Range of OOP as text")).to_have_value(re.compile("KJs"))
    page.get_by_role("tab", name="In position (IP)").click()
    expect(page.locator("#range-ip .cell.on")).not_to_have_count(0)
    page.get_by_role("tab", name="Out of position").click()
    expect(page.locator("#size")).to_contain_text("Decisions")
    picture(page, "solve")
    page.get_by_label("Name").fill("from nothing")
    page.get_by_role("button", name="Solve", exact=True).click()
    done = page.locator("article[data-status=done]").filter(has_text="from nothing")
    expect(done).to_contain_text("% of the pot", timeout=SECONDS)
    done.get_by_role("link", name="Study").click()
    here = page.locator(".step.here")
    here.get_by_role("button", name="OOP check").click()
    expect(page).to_have_url(re.compile(r"line=x"))
    expect(page.locator(".step.here header")).to_contain_text("IP")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".step.here header")).to_contain_text("OOP")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".step")).to_have_count(2)
    page.locator(".cell[data-class=KQs]").hover()
    expect(page.locator("caption")).to_contain_text("KQs")
    page.locator(".cell[data-class=QJs]").click()
    expect(page).to_have_url(re.compile("hand=QJs"))
    check_before = page.locator(".step.here button[data-action=x] span").last.inner_text()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Lock this decision…").click()
    dialog = page.locator("#lock")
    lock = dialog.get_by_role("button", name="Lock and solve")
    expect(lock).to_be_enabled()  # what is found there sums to 100 % as it is shown
    for number, value in enumerate(("50", "40", "25")):
        dialog.locator("input[type=number]").nth(number).fill(value)
    expect(dialog.locator("#lock-sum")).to_contain_text("15.0 % too much")
    expect(lock).to_be_disabled()
    dialog.locator("input[type=number]").nth(1).fill("-5")
    expect(lock).to_be_disabled()
    dialog.locator("input[type=number]").nth(1).fill("20")
    dialog.locator("input[type=number]").nth(2).fill("20")
    dialog.locator("input[type=number]").nth(0).fill("50")
    dialog.locator("#lock-rest").click()
    expect(dialog.locator("#lock-sum")).to_have_text("Together 100 %")
    dialog.get_by_role("button", name="Lock and solve").click()
    page.locator("#open-locked").click(timeout=SECONDS)
    expect(page.get_by_text("Locked here")).to_be_visible()
    expect(page.locator(".step.here button[data-action=x]")).to_contain_text("50.0 %")
    page.locator(".cell[data-class=QJs]").click()
    other = open_page(page.url.replace(page.url.split("/study")[0], ""))  # a fresh browser that has only the link
    expect(other.locator(".step")).to_have_count(2)
    expect(other.locator(".cell.pinned")).to_have_attribute("data-class", "QJs")
    expect(other.locator(".step.here button[data-action=x]")).to_contain_text("50.0 %")
    assert check_before != "50.0 %"


def test_flops_chosen_for_a_river_form_are_solved_with_flop_bets(open_page):
    """The form becomes a flop with sizes on every street; boards of another street are refused."""
    page = open_page("/solve")
    page.get_by_role("button", name="Many boards at once…").click()
    boards = page.locator("#batch-boards")
    boards.fill("Td9d6h")
    page.locator("#solve-batch").click()
    expect(page.locator("#said")).to_contain_text("The form has a board of 5 cards")
    page.get_by_role("button", name="Choose flops for me").click()
    expect(boards).to_have_value(re.compile(r"^(\w{6}:[\d.]+\n?){25}$"))
    for street in ("flop", "turn", "river"):
        expect(page.get_by_label(f"{street}, OOP bet")).to_be_visible()
        expect(page.get_by_label(f"{street}, IP bet")).to_have_value("50%, 100%")
    expect(page.locator("#size")).to_contain_text("flop")
    with page.expect_request(lambda request: request.url.endswith("/batches")) as sent:
        page.route("**/batches", lambda route: None)  # what is sent is enough; nothing need be solved
        page.locator("#solve-batch").click()
    asked = sent.value.post_data_json
    assert len(asked["spot"]["board"]) == 6
    assert [asked["spot"]["bets"][street]["oop"]["bet"] for street in ("flop", "turn", "river")] == ["50%, 100%"] * 3


def test_streets_that_appear_without_sizes_take_those_of_the_next(open_page):
    spot = RIVER | {"bets": {"bet": "", "river": {"bet": "50%", "raise": "a"}}}
    page = open_page(f"/solve?spot={quote(json.dumps(spot))}")
    for name in ("Q of clubs", "2 of spades"):
        page.get_by_role("button", name=name, exact=True).click()
    for street in ("flop", "turn", "river"):
        expect(page.get_by_label(f"{street}, OOP bet")).to_have_value("50%")
    page.get_by_label("flop, OOP bet").fill("")
    page.get_by_label("flop, IP bet").fill("")
    expect(page.locator("#silent")).to_contain_text("Nobody may bet on the flop")


def test_amounts_in_big_blinds_keep_their_bets(open_page):
    page = open_page("/solve")
    chip = page.get_by_label("Smallest chip")
    expect(chip).to_have_value("1")
    page.get_by_label("Pot", exact=True).fill("5.5")
    for player in ("OOP", "IP"):
        page.get_by_label(f"Stack of {player}").fill("97.5")
    expect(chip).to_have_value("0.01")
    expect(page.locator("#opening-bets")).to_contain_text("50% → 2.75, 100% → 5.5")
    chip.fill("1")
    expect(page.locator("#rounded")).to_contain_text("changes 50%, 100%")
    page.reload()
    expect(chip).to_have_value("1")  # chosen, so it stays
    chip.fill("0.01")
    expect(page.locator("#rounded")).to_have_count(0)
    page.reload()
    page.get_by_label("Pot", exact=True).fill("200")
    for player in ("OOP", "IP"):
        page.get_by_label(f"Stack of {player}").fill("900")
    expect(chip).to_have_value("1")


def test_a_running_solve_is_watched_stopped_and_resumed(open_page, server):
    httpx.post(f"{server}{API}/jobs", json={"spot": WIDE_TURN, "until": "0.0001%", "name": "long"}).raise_for_status()
    page = open_page("/solve")
    job = page.locator("article").filter(has_text="long")
    expect(job.locator("progress")).to_be_visible(timeout=SECONDS)
    expect(job.locator("svg .curve")).to_be_visible(timeout=SECONDS)
    expect(job).to_contain_text("left", timeout=SECONDS)
    picture(page, "progress")
    job.get_by_role("button", name="Stop").click()
    expect(job).to_have_attribute("data-status", "stopped", timeout=SECONDS)
    job.get_by_role("button", name="Resume").click()
    expect(job).to_have_attribute("data-status", "running", timeout=SECONDS)
    job.get_by_role("button", name="Stop").click()
    expect(job).to_have_attribute("data-status", "stopped", timeout=SECONDS)


def test_runouts_kinds_ways_of_looking_and_the_back_button(open_page, turn):
    page = open_page(f"/study/{turn}?line=x")
    picture(page, "study")
    page.get_by_role("button", name="Kinds of hands").click()
    expect(page.get_by_role("cell", name="top pair")).to_be_visible()
    for way in ("range", "equity", "ev", "eqr", "strategy"):
        page.locator("#mode").select_option(way)
    page.locator(".step.here button[data-action=x]").click()
    expect(page.locator(".heat button:not([disabled])")).to_have_count(48)
    page.get_by_label("Coloured by").select_option("eqoop")
    expect(page.get_by_text("Equity of OOP: from")).to_be_visible()
    picture(page, "runouts")
    page.locator(".heat button[data-card='8h']").click()
    expect(page).to_have_url(re.compile(r"line=x:x:8h"))
    expect(page.locator("#pot")).to_have_text("200")
    page.go_back()
    expect(page.locator(".heat")).to_be_visible()


def test_compare_report_and_library(open_page, turn, server):
    job = httpx.post(
        f"{server}{API}/jobs", json={"solution": turn, "lock": [{"line": "", "strategy": {"x": 1.0}}], "until": "1%"}
    )
    other = job.json()["id"]
    while httpx.get(f"{server}{API}/jobs/{other}").json()["status"] in ("queued", "running"):
        time.sleep(0.1)
    page = open_page(f"/compare?first={turn}&second={other}&line=")
    expect(page.locator(".grid")).to_have_count(2)
    picture(page, "compare")
    page = open_page("/report?query=turn")
    expect(page.locator("tbody tr")).not_to_have_count(0)
    page = open_page("/library")
    rows = page.locator("tbody tr")
    before = rows.count()
    picture(page, "library")
    page.on("dialog", lambda dialog: dialog.accept())
    page.locator("tr").filter(has=page.locator(f"a[href='/study/{other}']")).get_by_role(
        "button", name="Delete"
    ).click()
    expect(rows).to_have_count(before - 1)
    page.get_by_label("Search the library").fill("no such thing")
    expect(page.get_by_text("Nothing matches")).to_be_visible()


def test_leduc_is_learnt_step_by_step(open_page):
    page = open_page("/learn")
    page.locator("#game").select_option("leduc")
    for number in (1, 2, 3):
        page.locator("button[data-step='1']").click()
        expect(page.locator("#iteration")).to_have_text(str(number))
    first = float(page.locator("#exploitability").inner_text())
    expect(page.locator("#step .formula")).to_contain_text("v = Σ σ(a) · v(a)")
    page.locator("button[data-step='100']").click()
    expect(page.locator("#iteration")).to_have_text("103")
    assert float(page.locator("#exploitability").inner_text()) < first
    page.locator(".step.here button[data-action=b]").click()
    expect(page).to_have_url(re.compile("line=b"))
    page.locator("tr[data-infoset='Kc:b'] button").click()
    expect(page.locator("#step code")).to_have_text("Kc:b")
    picture(page, "learn")
    other = open_page(page.url[page.url.index("/learn") :])
    expect(other.locator("#exploitability")).to_have_text(page.locator("#exploitability").inner_text())
    page.locator("#run").click()
    expect(page.locator("#iteration")).not_to_have_text("103")
    page.locator("#run").click()


def test_hands_are_played_and_reviewed(open_page):
    page = open_page("/play")
    page.locator("#table-game").select_option("leduc")
    page.locator("#agent").select_option("equilibrium")
    page.locator("#sit").click()
    expect(page.locator("#felt")).to_be_visible()
    for _ in range(2):
        while not page.locator("#result").is_visible():
            moves = page.locator(".log li").count()
            page.keyboard.press("c")
            expect(page.locator(".log li")).not_to_have_count(moves)
        expect(page.locator("#reviews")).to_contain_text("EV lost")
        expect(page.locator("#opponent-range")).to_be_visible()
        picture(page, "play")
        page.keyboard.press("n")
        expect(page.locator("#result")).to_be_hidden()
    page.goto("/play")
    page.locator("#agent").select_option("rule-based")
    page.locator("#sit").click()
    expect(page.locator("#felt .card")).not_to_have_count(0)
    page.locator(".acts button").first.click()
    expect(page.locator(".log li")).not_to_have_count(0)
    page.goto("/play")
    page.locator("#table-game").select_option("nolimit-holdem(stack=10000,players=6)")
    page.locator("#sit").click()
    expect(page.locator("#felt .opponent")).to_have_count(5)
    while not page.locator("#result").is_visible():
        moves = page.locator(".log li").count()
        page.keyboard.press("c")
        expect(page.locator(".log li")).not_to_have_count(moves)
    expect(page.locator("#opponent-range")).to_contain_text("not known")
    picture(page, "six")


def test_the_trainer_asks_and_grades(open_page, turn):
    page = open_page(f"/train/{turn}?seed=7")
    page.keyboard.press("1")
    expect(page.locator("#grade")).to_contain_text("You gave away")
    picture(page, "train")
    asked = page.url
    page.locator("#next").click()
    expect(page).not_to_have_url(asked)
    expect(page.locator("#lost")).to_contain_text("% of the pot")


VIEWS = (
    "/solve",
    "/library",
    "/study/{turn}?line=x",
    "/study/{turn}?line=x:x",
    "/exploit",
    "/train/{turn}?seed=3",
    "/play",
    "/learn?t=5",
    "/help",
    "/report",
)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_control_has_a_name_and_text_can_be_read(open_page, turn, theme):
    """Names of controls, and contrast of text on plain backgrounds (WCAG AA: 4.5, large text 3)."""
    for path in VIEWS:
        page = open_page(path.format(turn=turn), color_scheme=theme)
        page.wait_for_timeout(400)
        assert page.evaluate(ACCESSIBILITY) == {"nameless": [], "pale": []}, path
        assert page.locator("h1").count() == 1, path


def test_views_fit_a_phone(open_page, turn):
    for path in VIEWS:
        page = open_page(path.format(turn=turn), viewport={"width": 390, "height": 844})
        page.wait_for_timeout(300)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 391, f"{path} is {wide} wide"
        if "line=x" in path and "x:x" not in path:
            picture(page, "phone")


def test_colours_for_the_colour_blind_and_dark(open_page, turn):
    page = open_page(f"/study/{turn}?line=x", color_scheme="dark")
    before = page.locator(".step .swatch").first.evaluate("e => getComputedStyle(e).backgroundColor")
    page.locator("#scheme").select_option("safe")
    expect(page.locator(".step .swatch").first).not_to_have_css("background-color", before)
    picture(page, "colour-blind")
    page.reload()
    page.wait_for_selector(".step .swatch")
    assert page.locator("#scheme").input_value() == "safe"  # remembered


def test_nothing_comes_from_elsewhere(open_page, server, turn):
    asked = []
    page = open_page("/solve")
    page.on("request", lambda request: asked.append(request.url))
    for path in VIEWS:
        page.goto(path.format(turn=turn))
        page.wait_for_selector("main[data-ready]")
    assert {url for url in asked if not url.startswith((server, "data:", "blob:"))} == set()
