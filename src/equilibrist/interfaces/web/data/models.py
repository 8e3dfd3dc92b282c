"""What comes in and goes out, typed: the schemas of the OpenAPI page."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from equilibrist.evaluation.play.trainer import Verdict
from equilibrist.interfaces.web.data.store import JobKind, JobStatus

Identity = Annotated[str, Field(pattern=r"^[0-9a-f]{12}$", description="Twelve hex digits.", examples=["0123456789ab"])]
Line = Annotated[
    str, Field(max_length=400, description="Actions and cards from the spot on.", examples=["x:b120:c:8h"])
]
RangeText = Annotated[str, Field(max_length=40_000, examples=["TT+,AKs,QJo:0.5"])]
MenuText = Annotated[str, Field(max_length=200, examples=["33%, 75%, a"])]
Chips = Annotated[float, Field(ge=0.0, le=1e12)]
Player = Literal["oop", "ip"]


class Strict(BaseModel):
    """Unknown keys and numbers that are none are refused."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, populate_by_name=True)


class Problem(BaseModel):
    """Why a request was refused: one sentence for people."""

    error: str
    message: str


class PlayerMenus(Strict):
    bet: MenuText | None = None
    raises: MenuText | None = Field(default=None, alias="raise")
    donk: MenuText | None = None


class StreetMenus(PlayerMenus):
    oop: PlayerMenus | None = None
    ip: PlayerMenus | None = None


class Bets(PlayerMenus):
    """Menus; the narrowest entry wins."""

    flop: StreetMenus | None = None
    turn: StreetMenus | None = None
    river: StreetMenus | None = None


class Both(Strict):
    oop: float
    ip: float


class Stacks(Strict):
    oop: Chips
    ip: Chips


class Ranges(Strict):
    oop: RangeText
    ip: RangeText


class SpotThresholdsModel(Strict):
    add_allin: Chips = 0.0
    force_allin: Chips = 0.0
    merge: Chips = 0.0
    commit_allin: Chips = 0.0


class SpotRakeModel(Strict):
    rate: float = Field(default=0.0, ge=0.0, le=1.0)
    cap: Chips | None = None


class ByStreet(Strict):
    flop: Chips | None = None
    turn: Chips | None = None
    river: Chips | None = None


class SpotBettingModel(Strict):
    kind: Literal["nolimit", "limit"] = "nolimit"
    size: Chips | ByStreet | None = None
    cap: Chips | ByStreet | None = None


class LockModel(Strict):
    """What a player does at one place: probabilities (or ranges) by action, or how often the range takes an action."""

    line: Line = ""
    hands: RangeText = "random"
    strategy: dict[Annotated[str, Field(max_length=20)], float | RangeText] = Field(default={}, max_length=20)
    frequency: dict[Annotated[str, Field(max_length=20)], float] | None = Field(default=None, max_length=20)
    weight: float = Field(default=1.0, ge=0.0, le=1.0)


class SpotModel(Strict):
    """A spot: the keys of a spot file."""

    board: str = Field(max_length=20, examples=["Td9d6hQc2s"])
    pot: Chips = Field(examples=[200])
    stack: Chips | None = Field(default=None, examples=[900])
    stacks: Stacks | None = None
    chip: Chips = 1.0
    range: Ranges
    bets: Bets | None = None
    thresholds: SpotThresholdsModel | None = None
    rake: SpotRakeModel | None = None
    betting: SpotBettingModel | None = None
    line: Line = ""
    lock: list[LockModel] = Field(default=[], max_length=50)


class SpotText(Strict):
    """A spot file as text."""

    toml: str = Field(max_length=200_000)


class SpotCheck(BaseModel):
    """A spot that can be solved: how large it is, and how it is written."""

    toml: str
    spot: dict[str, Any]
    decisions: dict[str, int]
    hands: Both
    table_bytes: int
    memory_bytes: int = Field(description="Available to solves.")
    fits: bool
    sentence: str


class JobRequest(Strict):
    """A solve: a spot, or a solution of the library with other locks, and when to stop."""

    spot: SpotModel | None = None
    solution: Identity | None = Field(default=None, description="Instead of a spot: the one of a solution.")
    lock: list[LockModel] = Field(default=[], max_length=50, description="Locks in addition to those of the spot.")
    unlock: list[Line] = Field(default=[], max_length=50, description="Lines whose locks are taken away.")
    name: str = Field(default="", max_length=200)
    until: str | None = Field(default="0.3%", max_length=20, description="Chips, or a share of the pot.")
    iterations: int | None = Field(default=None, ge=1, le=1_000_000)
    seconds: float | None = Field(default=None, gt=0.0, le=86_400.0)
    solver: str = Field(default="dcfr(gamma=3)", max_length=80)
    bits: Literal[16, 32] = 32


class JobGoal(Strict):
    until: str | None = Field(default=None, max_length=20)


class Point(BaseModel):
    iteration: int
    seconds: float
    exploitability: float


class Job(BaseModel):
    """A solve or a dial and how far it has come; its solution (its dial), once saved, has the same id."""

    id: str
    kind: JobKind
    created: float
    name: str
    board: str
    pot: float
    solver: str
    until: str | None
    status: JobStatus
    message: str
    iteration: int
    elapsed: float
    exploitability: float | None = Field(description="Chips.")
    percent_of_pot: float | None
    fraction: float | None
    seconds_left: float | None
    saved: bool
    need_bytes: int
    curve: list[Point]


class SolutionItem(BaseModel):
    """A solution of the library."""

    id: str
    created: float
    name: str
    notes: str
    board: str
    street: str
    pot: float
    stack: float
    solver: str
    iterations: int
    exploitability: float
    percent_of_pot: float
    converged: bool
    ev: Both
    locks: int
    bytes: int


class SolutionList(BaseModel):
    count: int
    solutions: list[SolutionItem]


class SolutionFacts(SolutionItem):
    """A solution with its spot."""

    toml: str
    spot: dict[str, Any]
    decisions: dict[str, int]
    lock_lines: list[str]
    part_of: str | None = Field(description="The dial whose response this is.")


class Naming(Strict):
    name: str | None = Field(default=None, max_length=200)
    notes: str | None = Field(default=None, max_length=4000)


Trust = Annotated[float, Field(ge=0.0, le=1.0, description="p: how far to trust that the opponent keeps to the locks.")]


class DialRequest(Strict):
    """Responses to the locks of a solution: for which p, and how accurately."""

    solution: Identity
    steps: list[Trust] = Field(default=[step / 10 for step in range(11)], min_length=1, max_length=41)
    until: str = Field(default="0.2%", max_length=20, description="Chips, or a share of the pot.")


class DialStep(Strict):
    p: Trust


class DialPoint(BaseModel):
    """One response, in chips (shares of the pot)."""

    p: float
    payoff: float = Field(description="At least, against opponents that keep to the locks.")
    gain: float = Field(description="Over the equilibrium's payoff against them.")
    guarantee: float = Field(description="At least, against anybody.")
    risk: float = Field(description="What an equilibrium guarantees, less that.")
    percent_of_pot: float = Field(description="Exploitability that was reached in the game of this p.")
    solution: str = Field(description="Id under which the response can be walked.")


class DialItem(BaseModel):
    id: str
    created: float
    name: str
    board: str
    player: Player
    status: JobStatus
    points: int
    steps: int


class Dial(BaseModel):
    """Gain and risk of responses to locks; the job that finds them has the same id."""

    id: str
    created: float
    name: str
    solution: str | None = Field(description="Whose locks they are; null where it was deleted.")
    board: str
    pot: float
    player: Player = Field(description="Who responds.")
    locks: list[dict[str, Any]]
    until: str
    steps: list[float]
    status: JobStatus
    message: str
    points: list[DialPoint]
    chosen: float | None = Field(description="p of the largest gain whose risk is at most epsilon, if that was asked.")


class Decision(BaseModel):
    """One card of the line: who had which choice, how often each is taken, and what was chosen."""

    line: str
    kind: Literal["decision", "deal", "over"]
    player: Player | None
    board: str
    pot: float
    actions: list[str]
    labels: list[str]
    colours: list[str]
    frequencies: list[float | None]
    chosen: str | None


class Node(BaseModel):
    """A place in a solution; lists over hands are in the order of `hands`."""

    line: str
    kind: Literal["decision", "deal", "over"]
    board: str
    pot: float
    stacks: Both
    player: Player | None
    actions: list[str]
    labels: list[str]
    colours: list[str]
    frequencies: list[float | None]
    ev: dict[str, float | None]
    equity: dict[str, float | None]
    eqr: dict[str, float | None]
    hands_of: Player
    hands: list[str]
    weight: list[float]
    hand_equity: list[float | None]
    hand_ev: list[float | None]
    hand_eqr: list[float | None]
    strategy: list[list[float]]
    ev_by_action: list[list[float | None]]
    path: list[Decision]
    locked: bool
    resolve: dict[str, Any] | None


class Card(BaseModel):
    card: str
    like: str
    probability: float
    frequencies: list[float | None]
    ev: dict[str, float | None]
    equity: dict[str, float | None]


class RunoutsModel(BaseModel):
    """What every next card changes."""

    line: str
    board: str
    pot: float
    player: Player | None
    actions: list[str]
    labels: list[str]
    colours: list[str]
    frequencies: list[float | None]
    ev: dict[str, float | None]
    equity: dict[str, float | None]
    cards: list[Card]


class CategoryRow(BaseModel):
    """Hands of one kind."""

    name: str
    combos: float
    share: float
    equity: float | None
    ev: float | None
    frequencies: list[float | None]


class Categories(BaseModel):
    line: str
    player: Player | None
    labels: list[str]
    rows: list[CategoryRow]


class ReportRow(BaseModel):
    """One solution at the line of an aggregate report; `problem` where it has no such line."""

    id: str
    name: str
    board: str
    labels: list[str]
    actions: list[str]
    colours: list[str]
    frequencies: list[float | None]
    ev: dict[str, float | None]
    equity: dict[str, float | None]
    pot: float
    problem: str | None


class Report(BaseModel):
    line: str
    count: int
    rows: list[ReportRow]


class WeightedBoard(Strict):
    board: str = Field(max_length=20, examples=["Td9d6h"])
    weight: float = Field(default=1.0, gt=0.0, le=1e9, description="How much the board counts in means.")


class BatchRequest(Strict):
    """One spot on many boards; the board of the spot itself does not count."""

    spot: SpotModel
    boards: list[WeightedBoard] = Field(min_length=1, max_length=200)
    until: str = Field(default="0.3%", max_length=20, description="Chips, or a share of the pot.")
    name: str = Field(default="", max_length=120)


class BatchItem(BaseModel):
    id: str
    created: float
    name: str
    boards: int
    solved: int
    active: int = Field(description="Boards that wait or are being solved.")


class BatchRow(BaseModel):
    """One board; `report` once there is a solution, even an unfinished one."""

    id: str
    board: str
    weight: float
    status: JobStatus
    percent_of_pot: float | None
    report: ReportRow | None


class Batch(BatchItem):
    """All boards at one line, and their weighted means; no actions where boards offer different ones."""

    line: str
    rows: list[BatchRow]
    labels: list[str]
    actions: list[str]
    colours: list[str]
    frequencies: list[float | None]
    ev: dict[str, float | None]
    equity: dict[str, float | None]


class RangeRequest(Strict):
    """A range as text, or as 1,326 weights in pair order."""

    text: RangeText | None = None
    weights: list[Annotated[float, Field(ge=0.0, le=1.0)]] | None = Field(
        default=None, min_length=1326, max_length=1326
    )


class RangeFacts(BaseModel):
    text: str
    combos: float
    weights: list[float]


class PresetItem(BaseModel):
    name: str
    group: str
    text: str


class Question(BaseModel):
    """A decision of the trainer."""

    solution: str
    seed: int
    line: str
    board: str
    pot: float
    stacks: Both
    player: Player
    hand: str
    actions: list[str]
    labels: list[str]
    colours: list[str]
    history: list[str]


class Grade(Question):
    """The answer, graded."""

    answer: str
    best: str
    ev_by_action: list[float]
    strategy: list[float]
    ev_loss: float = Field(description="Chips.")
    percent_of_pot: float
    verdict: Verdict


class GameItem(BaseModel):
    name: str
    title: str
    summary: str
    infosets: int


class InfosetRow(BaseModel):
    """One infoset at one iteration."""

    key: str
    public: str
    player: int
    actions: list[str]
    regret: list[float]
    current: list[float]
    average: list[float]


class StepAction(BaseModel):
    label: str
    name: str
    before: float
    value: float
    gain: float
    regret_before: float
    regret: float
    after: float
    average: float


class Step(BaseModel):
    """What the last iteration did at one infoset."""

    key: str
    player: int
    value: float
    positive_factor: float
    negative_factor: float
    actions: list[StepAction]
    formulas: list[str]


class CurvePoint(BaseModel):
    iteration: int
    exploitability: float


class LessonDecision(BaseModel):
    """One card of the line in a lesson; frequencies are those of the averages, over all infosets by how likely they are."""

    line: str
    player: int
    labels: list[str]
    actions: list[str]
    frequencies: list[float]
    chosen: str | None
    following: dict[str, list[str]] = Field(description="By action: the decisions that can come next.")


class LearnState(BaseModel):
    """CFR on a small game after some iterations."""

    game: str
    solver: str
    iteration: int
    line: str
    lines: list[str]
    path: list[LessonDecision]
    value: list[float]
    exploitability: float
    curve: list[CurvePoint]
    colours: dict[str, str]
    infosets: list[InfosetRow]
    step: Step | None


class AgentItem(BaseModel):
    name: str
    summary: str
    game: str | None


class TableRequest(Strict):
    agent: str = Field(max_length=100)
    game: str = Field(default="nolimit-holdem(stack=2000)", max_length=100)
    seed: int | None = Field(default=None, ge=0, le=2**31)


class ActionRequest(Strict):
    hand: int = Field(
        ge=0, le=1_000_000, description="Number of the hand, from 0; an action for another hand is refused."
    )
    move: int = Field(ge=0, le=1000, description="How many own actions came before; guards against double clicks.")
    action: str = Field(max_length=20)


class HandMove(BaseModel):
    seat: int | None
    label: str
    text: str


class Offer(BaseModel):
    """An action that can be taken."""

    label: str
    text: str


class Choice(BaseModel):
    """What somebody at a table may do now."""

    offers: list[Offer]
    to_call: float
    needed_equity: float
    raise_least: float | None
    raise_most: float | None
    pot_raises: list[Offer]


class RangeHand(BaseModel):
    hand: str
    weight: float


class Review(BaseModel):
    """One own decision, looked at afterwards."""

    move: int
    action: str
    board: str
    pot: float
    equity: float | None = Field(description="Against the range the opponent can have here, if that is known.")
    actions: list[str]
    ev: list[float] | None = Field(description="Of each action against this opponent, where the game is small enough.")
    ev_loss: float | None


class DecisionValue(BaseModel):
    """What each action of one decision was worth, in chips, folding now being 0; `reason` where that cannot be said."""

    move: int
    method: Literal["exact", "solved", "blueprint"] | None
    actions: list[str]
    ev: list[float]
    chosen: int | None
    loss: float | None
    loss_bb: float | None
    error: float | None = Field(
        description="Chips: 95 % interval of the loss, or the exploitability of what was solved."
    )
    note: str
    reason: str
    opponent_range: list[RangeHand] | None = Field(description="At the time of the decision.")


class SeatState(BaseModel):
    """One seat of a table."""

    name: str
    behind: float | None = Field(description="Chips; null where there is no limit.")
    folded: bool
    shown: str | None = Field(description="Cards shown at the end.")


class TableState(BaseModel):
    """A table as one person sees it."""

    id: str
    agent: str
    game: str
    hand: int
    seat: int
    hole: str
    board: str
    pot: float
    seats: list[SeatState]
    moves: list[HandMove]
    move: int
    over: bool
    choice: Choice | None
    result: float | None
    opponent_range: list[RangeHand] | None
    reviews: list[Review] | None
    played: int
    total: float
    mean_mbb: float | None
    interval_mbb: float | None
    unit: float
