"""Opponent models on the boards of a whole game: a player follows one per hand, or anew at every decision (`core/opponent.py`)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np

from equilibrist.compute.lanes import aligned
from equilibrist.core.arrays import Floats32
from equilibrist.core.errors import NotApplicableError, ParameterError, UnknownNameError
from equilibrist.core.opponent import Binding
from equilibrist.core.policy import TabularPolicy
from equilibrist.games.poker.game import Poker
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.schedules import VANILLA
from equilibrist.solvers.postflop.board_runs import DealtBoards
from equilibrist.solvers.postflop.gpu.devices import wants_gpu
from equilibrist.solvers.postflop.locks.locked_nodes import PlacedLock
from equilibrist.solvers.postflop.restricted_nash import BoardModel, modelled_kind
from equilibrist.solvers.postflop.solutions.board_policy import BoardPolicy
from equilibrist.solvers.postflop.vector_cfr import BoardCFR


def merges_models(game: Poker, solver: CFR) -> bool:
    """Whether the boards that models are written for are merged by suits: those of a run as they are, tables where suits have no names."""
    runs = {b.policy.run.isomorphism for b in solver.bindings if isinstance(b.policy, BoardPolicy)}
    tables = {game.rules.deck.merged for b in solver.bindings if isinstance(b.policy, TabularPolicy)}
    if len(runs | tables) > 1:
        raise NotApplicableError("Some models tell suits apart and others do not; give all of them as tables.")
    return (runs | tables or {True}).pop()


def start_bound(game: Poker, solver: CFR, dealt: DealtBoards, *, threads: int = 1, device: str = "cpu") -> BoardCFR:
    """A run at iteration 0 in which players are bound as the solver says."""
    plain = replace(solver, bindings=())
    if not plain.plain_matching:
        raise NotApplicableError(
            "On boards models bind players of the CFR family with regret matching and alternating updates (dcfr, cfr+, pcfr+ …)."
        )
    for binding in solver.bindings:
        if binding.player not in (0, 1):
            raise ParameterError(f"A binding names player 0 or 1, but {binding.player} was given.")
    secret = [b for b in solver.bindings if b.mode == "per_hand"]
    locked = [b for b in solver.bindings if b.mode == "per_infoset"]
    if len(secret) > 1 or len({b.player for b in locked}) < len(locked) or (secret and locked):
        raise NotApplicableError("On boards one player follows one model per hand, or each player one per infoset.")
    on_gpu = wants_gpu(device, None, streets=len(dealt.forests))
    if secret:
        model = _model(game, dealt, secret[0])
        return modelled_kind(on_gpu)(plain, model, float(secret[0].weight), threads=threads, **dealt.parts)

    def placed(run: BoardCFR) -> list[PlacedLock]:
        return [lock for binding in locked for lock in _locks(run, _model(game, dealt, binding), binding)]

    how = {"schedule": solver.schedule, "predictive": solver.minimiser != "rm", "threads": threads, **dealt.parts}
    if on_gpu:
        from equilibrist.solvers.postflop.gpu.device_models import DeviceBound

        return DeviceBound(placed, **(how | {"locks": ()}))
    run = BoardCFR(**(how | {"locks": ()}))
    run._lock(placed(run))
    return run


def _model(game: Poker, dealt: DealtBoards, binding: Binding) -> BoardModel:
    """What the model does on these boards."""
    policy = binding.policy
    if np.ndim(binding.weight):
        raise NotApplicableError("Weights by infoset are for games laid out as sequence forms; give one weight.")
    if isinstance(policy, BoardPolicy):
        if policy.game.name != game.name:
            raise ParameterError(f"The model is of '{policy.game.name}', but '{game.name}' is to be solved.")
        return BoardModel.of_run(policy.run, binding.player)
    if isinstance(policy, TabularPolicy):
        try:
            return BoardModel(binding.player, _tables(game, dealt, policy, binding.player), dealt.isomorphism)
        except (UnknownNameError, KeyError, ValueError):
            raise ParameterError(
                f"The model does not say what player {binding.player + 1} does in '{game.name}'; it is a table of another game."
            ) from None
    raise NotApplicableError(
        "On boards a model is a table by infoset (`tabular()`) or the policy of a solution on boards of the same game."
    )


def _tables(game: Poker, dealt: DealtBoards, policy: TabularPolicy, player: int) -> tuple[Floats32, ...]:
    """By street [board, block, slot, hand], flat, from probabilities by infoset."""
    run = BoardCFR(schedule=VANILLA, **(dealt.parts | {"locks": ()}))
    reader = BoardPolicy(game, tuple(dealt.forests), lambda: run)
    index = policy.infosets
    by_public: dict[str, list[int]] = defaultdict(list)
    for i in np.flatnonzero(index.player == player).tolist():
        by_public[index.public[i]].append(i)
    tables: list[Floats32] = [aligned(int(np.prod(street.shape(player)))) for street in run.streets]
    known = [np.zeros(street.shape(player), dtype=np.bool_) for street in run.streets]
    for public, infosets in by_public.items():
        place = reader.find(public)
        depth, board = len(place.path), place.path[-1] if place.path else 0
        street, own = run.streets[depth], run.streets[depth].hands[player]
        hands = {index.keys[i].removesuffix(public).removesuffix(":") if public else index.keys[i]: i for i in infosets}
        slot = int(street.forest.slot[place.node])
        labels = reader.labels(place, player)
        for label, where in zip(labels, reader.places(place, player).tolist(), strict=True):
            row = policy.probabilities[index.first_slot[hands[label]] : index.first_slot[hands[label] + 1]]
            at = (board, where // own.size, slice(slot, slot + len(row)), where % own.size)
            tables[depth].reshape(street.shape(player))[at] = row
            known[depth][at] = True
    for street, seen in zip(run.streets, known, strict=True):
        own, boards = street.boards.player[player], len(street.boards.cards)
        held = (own.pair >= 0).reshape(boards, own.blocks, 1, own.block)
        if not (seen | ~held).all():
            raise ParameterError(f"The model does not say what player {player + 1} does everywhere in '{game.name}'.")
    return tuple(tables)


def _locks(run: BoardCFR, model: BoardModel, binding: Binding) -> list[PlacedLock]:
    """Every decision of the bound player."""
    out = []
    for depth, (street, table) in enumerate(zip(run.streets, model.tables, strict=True)):
        boards, _, slots, _ = street.shape(model.player)
        if table.size != int(np.prod(street.shape(model.player))):
            raise ParameterError("The model was made for other boards: its tables do not fit.")
        rows = np.moveaxis(table.reshape(street.shape(model.player)), 2, 1).reshape(boards, slots, -1)
        held = street.boards.player[model.player].pair >= 0
        for node in np.flatnonzero(street.forest.kind == model.player).tolist():
            part = slice(slot := int(street.forest.slot[node]), slot + int(street.forest.children[node]))
            for board in range(boards):
                bound = np.where(held[board], binding.weight, 0.0)
                out.append(PlacedLock(depth, board, node, model.player, rows[board, part].astype(float), bound))
    return out
