"""Amounts in the browser: big blinds and cents are not rounded to whole chips, and buttons are called what they are."""

import pytest

from equilibrist.core.player import Chips, View
from equilibrist.interfaces.web.routes.tables import _choice
from web_server import API, RIVER, solve

BLINDS = RIVER | {"pot": 5.5, "stack": 97.5, "bets": {"bet": "33%, 75%", "raise": "a"}}


def check(client, spot):
    answer = client.post(f"{API}/spots/check", json=spot)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize(
    ("amounts", "chip", "bets"),
    [
        ({"pot": 5.5, "stack": 97.5}, 0.01, [1.82, 4.13]),
        ({"pot": 2, "stack": 100}, 0.01, [0.66, 1.5]),
        ({"pot": 200, "stack": 900}, 1.0, [66.0, 150.0]),
        ({"pot": 200, "stack": None, "stacks": {"oop": 900, "ip": 97.5}}, 0.01, [66.0, 97.5]),
        ({"pot": 5.5, "stack": 97.5, "chip": 0.5}, 0.5, [2.0, 4.0]),
    ],
)
def test_a_spot_without_a_chip_gets_one_that_leaves_its_bets_as_they_are(client, amounts, chip, bets):
    found = check(client, BLINDS | amounts)
    assert found["spot"]["chip"] == chip
    assert [bet["chips"] for bet in found["opening_bets"] if bet["player"] == "oop"] == bets
    again = client.post(f"{API}/spots/read", json={"toml": found["toml"]}).json()
    assert again["spot"] == found["spot"]


def test_rounding_that_changes_a_size_is_pointed_out(client):
    whole = check(client, BLINDS | {"chip": 1})["opening_bets"]
    assert [(bet["size"], bet["chips"], bet["rounded"]) for bet in whole if bet["player"] == "ip"] == [
        ("33%", 2.0, True),
        ("75%", 4.0, True),
    ]
    assert not any(bet["rounded"] for bet in check(client, BLINDS)["opening_bets"])


def test_streets_without_bets_are_named(client):
    flop = BLINDS | {"board": "Td9d6h", "bets": {"bet": "", "river": {"bet": "50%"}}}
    assert check(client, flop)["silent_streets"] == ["flop", "turn"]
    assert check(client, BLINDS)["silent_streets"] == []


def test_a_pot_in_big_blinds_is_solved_with_the_bets_that_were_asked_for(client):
    solved = solve(client, BLINDS)
    node = client.get(f"{API}/solutions/{solved}/node").json()
    assert node["labels"] == ["x", "b1.82", "b4.13"]
    facts = client.get(f"{API}/solutions/{solved}").json()
    assert facts["spot"]["chip"] == 0.01
    assert solve(client, facts["spot"])  # what the API tells can be sent back


def view(*, pot, base=0.0, to_call=0.0, least, most, actions=None):
    letter = "r" if base else "b"
    labels = actions or [("c" if to_call else "x"), *(f"{letter}{total}" for total in range(int(least), int(most) + 1))]
    chips = Chips(
        hole=(), board=(), round=1, pot=pot, to_call=to_call, paid=(0.0, 0.0), behind=(most, most), folded=(False, False),
        round_base=base, raise_bounds=(least, most), big_blind=100.0,
    )  # fmt: skip
    return View(0, "", "", labels, chips)


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        (  # a third of the pot is below the smallest bet
            {"pot": 200.0, "least": 100.0, "most": 1900.0},
            {"b100": "½ pot", "b150": "¾ pot", "b200": "pot", "b1900": "all-in"},
        ),
        (
            {"pot": 150.0, "base": 100.0, "to_call": 50.0, "least": 200.0, "most": 2000.0},
            {"r200": "½ pot", "r250": "¾ pot", "r300": "pot", "r2000": "all-in"},
        ),
        (
            {"pot": 120.0, "least": 100.0, "most": 1900.0},
            {"b100": "min", "b120": "pot", "b1900": "all-in"},
        ),
        ({"pot": 900.0, "least": 100.0, "most": 250.0}, {"b100": "min", "b250": "all-in"}),
        (  # few sizes on offer: all of them, each by its own share
            {"pot": 200.0, "least": 72.0, "most": 900.0, "actions": ["x", "b72", "b150", "b900"]},
            {"b72": "min", "b150": "¾ pot", "b900": "all-in"},
        ),
        (
            {"pot": 5.0, "least": 2.0, "most": 20.0, "actions": ["x", "b2", "b3", "b20"]},
            {"b2": "min", "b3": "60 % pot", "b20": "all-in"},
        ),
    ],
)
def test_a_button_bears_a_name_that_is_true_of_its_amount(asked, named):
    assert {offer.label: offer.text for offer in _choice(view(**asked)).pot_raises} == named


def test_buttons_at_a_table_are_called_what_they_are(client):
    """On every decision of some hands: the amount behind a name is that share of the pot, the smallest or the largest."""
    table = client.post(f"{API}/tables", json={"agent": "always-call", "seed": 3}).json()
    for _ in range(12):
        choice = table["choice"]
        if choice is None:
            table = client.post(f"{API}/tables/{table['id']}/deal").json()
            continue
        amounts = [float(offer["label"][1:]) for offer in choice["pot_raises"]]
        assert amounts == sorted(set(amounts))
        for offer, amount in zip(choice["pot_raises"], amounts, strict=True):
            if offer["text"] == "min":
                assert amount == choice["raise_least"]
            elif offer["text"] == "all-in":
                assert amount == choice["raise_most"]
            elif choice["to_call"] == 0 and offer["label"][0] == "b":
                share = {"⅓ pot": 1 / 3, "½ pot": 1 / 2, "¾ pot": 3 / 4, "pot": 1.0}[offer["text"]]
                assert amount == pytest.approx(share * table["pot"], rel=0.03)
        asked = {"hand": table["hand"], "move": table["move"], "action": "c" if choice["to_call"] else "x"}
        table = client.post(f"{API}/tables/{table['id']}/act", json=asked).json()
