"""Hold'em decisions looked at after the hand: values and ranges over the API and in a real Chromium, or plainly why there are none."""

import httpx
import pytest
from fastapi.testclient import TestClient

from equilibrist import load_game
from equilibrist.agents.blueprint.blueprint_player import BlueprintPlayer
from equilibrist.agents.review.decision_review import DecisionReviewer
from equilibrist.interfaces.web.app import create_app
from equilibrist.interfaces.web.data.play_sessions import Seated, own_chance
from equilibrist.interfaces.web.settings import ServerSettings
from rank_blueprint import rank_blueprint
from web_server import ACCESSIBILITY, API, SECONDS, picture, served

GAME = "nolimit-holdem(stack=2000)"


@pytest.fixture(scope="module")
def blueprint():
    return rank_blueprint(load_game(GAME))


@pytest.fixture
def app(data, blueprint):
    """A server where a blueprint sits in the place of a player by rule."""
    app = create_app(ServerSettings(data=data))
    app.state.services.tables._seated["rule-based", GAME] = Seated(load_game(GAME), [BlueprintPlayer(blueprint)])
    return app


def play_on(client, table):
    """Check and call to the end."""
    while not table["over"]:
        labels = [offer["label"] for offer in table["choice"]["offers"]]
        body = {"hand": table["hand"], "move": table["move"], "action": "x" if "x" in labels else "c"}
        table = client.post(f"{API}/tables/{table['id']}/act", json=body).json()
    return table


def a_hand_to_the_river(client, agent="rule-based"):
    for seed in range(20):
        asked = {"agent": agent, "game": GAME, "seed": seed}
        table = play_on(client, client.post(f"{API}/tables", json=asked).json())
        if len(table["reviews"]) >= 4 and table["reviews"][-1]["board"][8:]:
            return table
    raise AssertionError("no hand came to the river")


def test_every_decision_is_valued_as_the_library_does(app):
    with TestClient(app, base_url="http://localhost") as client:
        table = a_hand_to_the_river(client)
        path = f"{API}/tables/{table['id']}/hands/0/decisions"
        values = [client.get(f"{path}/{review['move']}").json() for review in table["reviews"]]
        assert [value["method"] for value in values[:1]] == ["blueprint"]
        assert values[-1]["method"] == "solved"
        for value in values:
            assert value["loss"] == pytest.approx(max(value["ev"]) - value["ev"][value["chosen"]])
            assert value["loss_bb"] == pytest.approx(value["loss"] / 100.0)
            assert max(hand["weight"] for hand in value["opponent_range"]) == pytest.approx(1.0)
        assert all(hand["hand"][:2] not in table["hole"] for hand in values[-1]["opponent_range"])
        assert client.get(f"{path}/{len(values)}").status_code == 409
        services = app.state.services
        row = services.store.sitting(table["id"])
        seen = services.tables.look(row, 0)
        seated = services.tables.seated("rule-based", GAME)
        reviewer = DecisionReviewer(seated.game, seated.player, seen.person.seat, own_chance(row, 1, 0))
        own = seen.person.decided[-1]
        before = [decision for made, decision in seen.opponent.decided if made < len(seen.person.decided)]
        assert values[-1]["ev"] == pytest.approx(reviewer.value(own, before, seconds=6.0).ev, abs=1e-6)


def test_replies_are_remembered_so_that_a_search_is_not_asked_twice(app):
    with TestClient(app, base_url="http://localhost") as client:
        table = client.post(f"{API}/tables", json={"agent": "rule-based", "game": GAME, "seed": 4}).json()
        table = play_on(client, table)
        tables = app.state.services.tables
        player = tables.seated("rule-based", GAME).player
        player.act = lambda view, deadline=None: pytest.fail("asked again")
        again = client.get(f"{API}/tables/{table['id']}").json()
        assert again["moves"] == table["moves"]


def test_why_there_is_no_value_is_said(client):
    table = play_on(client, client.post(f"{API}/tables", json={"agent": "random", "game": GAME, "seed": 1}).json())
    value = client.get(f"{API}/tables/{table['id']}/hands/0/decisions/0").json()
    assert value["method"] is None
    assert "trained blueprints" in value["reason"]
    fresh = client.post(f"{API}/tables", json={"agent": "random", "game": GAME, "seed": 2}).json()
    if not fresh["over"]:
        assert client.get(f"{API}/tables/{fresh['id']}/hands/0/decisions/0").status_code == 409


@pytest.mark.browser
def test_the_page_shows_what_decisions_cost(app, chromium):
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is missing; try: make browser")
    expect, troubles = playwright.expect, []
    with served(app) as link:
        page = chromium.new_page(base_url=link, viewport={"width": 1400, "height": 1150})
        page.set_default_timeout(SECONDS)
        page.on("console", lambda told: troubles.append(told.text) if told.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        with httpx.Client(base_url=link, timeout=60.0) as client:
            table = a_hand_to_the_river(client)
        page.goto(f"/play/{table['id']}")
        rows = page.locator("#reviews tbody tr")
        expect(rows).to_have_count(len(table["reviews"]))
        expect(rows.last).to_have_attribute("data-method", "solved", timeout=SECONDS)
        expect(rows.last).to_contain_text("bb")
        before = page.locator("#opponent-range .cell.on").count()
        rows.first.get_by_role("button").click()
        expect(page.locator("#opponent-range h2")).to_contain_text("when you")
        assert page.locator("#opponent-range .cell.on").count() >= before
        picture(page, "review")
        assert page.evaluate(ACCESSIBILITY) == {"nameless": [], "pale": []}
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= 391
    assert troubles == []
