"""`equilibrist cluster`: put hands into buckets, and look at the buckets."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equilibrist.core.errors import ParameterError

if TYPE_CHECKING:
    from equilibrist.abstraction.cards.card_abstraction import CardAbstraction
    from equilibrist.abstraction.cards.recipe import Recipe


def cluster(
    what: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PRESET | report FILE]", help="tiny, small, medium or large; or 'report' and a file."),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            help="Instead of a preset: one method, or one per street as in a/b/c/d; see docs/card-abstraction.md."
        ),
    ] = "",
    sizes: Annotated[
        str, typer.Option(help="Buckets per street, as in 169/200/200/200; 'all' keeps hands apart.")
    ] = "",
    deck: Annotated[str, typer.Option(help="RANKSxSUITS of a smaller deck, as in 6x4.")] = "13x4",
    recall: Annotated[str, typer.Option(help="'imperfect' or 'perfect' recall of earlier buckets.")] = "imperfect",
    public: Annotated[
        int, typer.Option(min=0, help="Number of public clusters of flops that players remember; 0 for none.")
    ] = 0,
    sample: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of hands that clusters are fitted to.")
    ] = None,
    runouts: Annotated[int | None, typer.Option(min=0, help="Number of runouts per board; 0 for all.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed.")] = 0,
    threads: Annotated[int, typer.Option(min=1, help="Threads.")] = 1,
    ray: Annotated[str, typer.Option(metavar="ADDRESS|local", help="Spread the work over a Ray cluster.")] = "",
    out: Annotated[Path | None, typer.Option(help="Output file; interrupted work is continued.")] = None,
    png: Annotated[Path | None, typer.Option(help="With report: write a picture of the buckets to this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")] = False,
) -> None:
    """Put hold'em hands into buckets, or report on buckets made before."""
    words = what or []
    if words[:1] == ["report"]:
        _report(words[1:], png, as_json)
        return
    if len(words) > 1:
        raise ParameterError(f"One preset is made at a time, but {' '.join(words)} was given.")
    settings = {"recall": recall, "public": public, "seed": seed, "sample": sample, "runouts": runouts}
    recipe = _recipe(words[0] if words else "", method, sizes, deck, settings)
    _make(recipe, out, threads, ray, as_json)


def _recipe(preset: str, method: str, sizes: str, deck: str, settings: dict[str, Any]) -> Recipe:
    from equilibrist.abstraction.cards.deals import Streets
    from equilibrist.abstraction.cards.recipe import PRESETS, find_preset, make_recipe

    streets = Streets(_deck(deck))
    given = {name: value for name, value in settings.items() if value is not None}
    if not preset:
        if not method or not sizes:
            raise ParameterError(
                f"Name a preset ({', '.join(PRESETS)}), or both --method and --sizes, as in --method kmeans-emd --sizes 169/200/200/200."
            )
        return make_recipe(method, sizes, streets=streets, **given)
    if method or sizes:
        raise ParameterError(
            f"The preset '{preset}' names its method and sizes; leave out --method and --sizes, or the preset."
        )
    if settings["recall"] != "imperfect" or settings["public"]:
        raise ParameterError("Presets forget as they do; --recall and --public go with --method and --sizes.")
    del given["recall"], given["public"]
    return find_preset(preset).recipe(streets, **given)


def _deck(text: str) -> Any:
    from equilibrist.cards.deck import Deck
    from equilibrist.core.names import is_whole

    ranks, times, suits = text.partition("x")
    if not (times and is_whole(ranks) and is_whole(suits)):
        raise ParameterError(f"A deck is written RANKSxSUITS, as in 13x4, but '{text}' was given.")
    return Deck(int(ranks), int(suits))


def _make(recipe: Recipe, out: Path | None, threads: int, ray: str, as_json: bool) -> None:
    from equilibrist.abstraction.cards.build import build_abstraction
    from equilibrist.compute.workers import RayWorkers
    from equilibrist.interfaces.cli.files import check_writable, save_result
    from equilibrist.interfaces.cli.guard import INTERRUPTED, complain
    from equilibrist.interfaces.cli.output import print_json
    from equilibrist.interfaces.cli.progress import Meter

    check_writable(out, "--out")
    parts = None if out is None else out.parent / f".{out.name}.parts"
    with RayWorkers(ray, threads) if ray else nullcontext() as workers, Meter("cluster") as meter:
        try:
            made = build_abstraction(
                recipe,
                workers=workers,
                threads=threads,
                checkpoints=parts,
                report=lambda text, share: meter.show(share, text),
            )
        except KeyboardInterrupt:
            complain(
                "Interrupted; " + ("nothing was written." if out is None else "the same command goes on from here.")
            )
            raise typer.Exit(INTERRUPTED) from None
    if out is not None:
        out = save_result(out, made.save)
        _forget(parts, recipe)
    if as_json:
        print_json(abstraction_facts(made, out))
    else:
        _print_made(made, out)


def _forget(parts: Path | None, recipe: Recipe) -> None:
    from equilibrist.compute.checkpoints import Checkpoints

    Checkpoints(parts, recipe.hash).clear()


def abstraction_facts(made: CardAbstraction, path: Path | None) -> dict[str, Any]:
    """What `cluster --json` prints."""
    return {
        "file": None if path is None else str(path),
        "hash": made.hash,
        "fingerprint": made.fingerprint,
        "recipe": made.recipe.to_json(),
        "streets": list(made.streets.names),
        "sizes": list(made.sizes),
        "recall": made.recall,
        "provenance": dict(made.provenance),
    }


def _print_made(made: CardAbstraction, out: Path | None) -> None:
    from equilibrist.abstraction.cards.deals import indexer_of
    from equilibrist.abstraction.cards.method_names import method_text
    from equilibrist.interfaces.cli.output import duration, plain_table, screen

    table = plain_table("street", "hands", "buckets", "method")
    for street, name in enumerate(made.streets.names):
        hands = indexer_of(made.tables[street].dealt, made.streets.deck).size
        table.add_row(name, f"{hands:,}", f"{made.sizes[street]:,}", method_text(made.recipe.methods[street]))
    console = screen()
    console.print(table)
    where = "nothing was written; name a file with --out" if out is None else f"in {out}"
    console.print(
        f"abstraction {made.hash}, {duration(made.provenance['seconds'])}, {where}", style="dim", markup=False
    )


def _report(words: list[str], png: Path | None, as_json: bool) -> None:
    from equilibrist.abstraction.cards.card_abstraction import load_card_abstraction
    from equilibrist.abstraction.cards.report import report_on
    from equilibrist.interfaces.cli.files import check_writable
    from equilibrist.interfaces.cli.output import print_json

    if len(words) != 1:
        raise ParameterError("A report is on one file, as in: equilibrist cluster report FILE.")
    check_writable(png, "--png")
    if png is not None:
        from equilibrist.interfaces.pictures.strategy_pictures import require_matplotlib

        require_matplotlib()
    path = Path(words[0])
    made = load_card_abstraction(path).check()
    found = report_on(made)
    if png is not None:
        from equilibrist.interfaces.pictures.bucket_pictures import save_bucket_picture

        save_bucket_picture(made, found, png)
    if as_json:
        print_json(abstraction_facts(made, path) | {"report": [street.to_json() for street in found]})
    else:
        _print_report(made, found)


def _print_report(made: CardAbstraction, found: Any) -> None:
    from equilibrist.interfaces.cli.output import plain_table, screen

    table = plain_table(
        "street", "buckets", "used", "smallest", "largest", "equity spread", "explained", "EMD to centre", "mixed suits"
    )
    for column in table.columns[1:]:
        column.justify = "right"
    for street in found:
        table.add_row(
            street.name,
            f"{street.declared:,}",
            f"{street.used:,}",
            f"{100 * street.smallest:.3f} %",
            f"{100 * street.largest:.3f} %",
            f"{street.deviation:.4f}",
            f"{100 * street.explained:.2f} %",
            f"{street.emd:.3f}",
            f"{100 * street.mixed:.1f} %",
        )
    console = screen()
    console.print(f"{made.hash}, {made.recall} recall", style="bold", markup=False)
    console.print(table)
    console.print(
        "smallest, largest: shares of all deals; equity spread: standard deviation of E[HS] within buckets; explained: share of its "
        "variance between them; EMD to centre: in bins of 2 % equity; mixed suits: deals in buckets with both suited and offsuit hands.",
        style="dim",
        markup=False,
    )
