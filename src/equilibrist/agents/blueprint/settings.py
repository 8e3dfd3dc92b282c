"""A blueprint at the table, from its file and the settings people type: how bets are read, what is purified, where it searches."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from equilibrist.core.errors import ParameterError
from equilibrist.core.player import Player

SAMPLED = "sampled"
_ON_BOARDS = ("iterations", "bet", "raises", "threads", "depth_limit", "values")
_SAMPLED = ("blocks", "final")
_SEARCHES = ("technique", "seconds", *_ON_BOARDS, *_SAMPLED)


def blueprint_player(path: str, settings: Mapping[str, Any]) -> Player:
    """A trained blueprint at the table."""
    from equilibrist.agents.blueprint.blueprint_player import BlueprintPlayer, parts_of
    from equilibrist.agents.blueprint.round_searcher import RoundSearcher, RoundSearchSettings
    from equilibrist.agents.blueprint.searching_player import SearchingPlayer, SearchSettings
    from equilibrist.solvers.blueprint.strategy import load_blueprint

    known = (*inspect.signature(parts_of).parameters, "search", *_SEARCHES)
    for key in settings:
        if key not in known:
            raise ParameterError(f"A blueprint player has no parameter '{key}' (it has: {', '.join(known)}).")
    parts = parts_of(**{key: value for key, value in settings.items() if key not in ("search", *_SEARCHES)})
    how = {key: value for key, value in settings.items() if key in _SEARCHES}
    if "search" not in settings:
        if how:
            raise ParameterError(
                f"'{next(iter(how))}' is a setting of search; add search=river, search=turn or search=flop."
            )
        return BlueprintPlayer(load_blueprint(path), parts)
    street = str(settings["search"])
    if how.get("technique") == SAMPLED:
        for key in set(how) & set(_ON_BOARDS):
            raise ParameterError(
                f"'{key}' is a setting of search on boards; a sampled one has blocks, seconds and final."
            )
        del how["technique"]
        return RoundSearcher(load_blueprint(path), parts, RoundSearchSettings(street=street, **how))
    for key in set(how) & set(_SAMPLED):
        raise ParameterError(f"'{key}' is a setting of sampled search; add technique={SAMPLED}.")
    return SearchingPlayer(load_blueprint(path), parts, SearchSettings(street=street, **how))
