"""How large the linear program of a game is, counted as in [Gilpin09, §5.2.1]."""

from __future__ import annotations

from dataclasses import dataclass

from equilibrist.forms.sequence_form.sequence_form import SequenceForm


@dataclass(frozen=True)
class ProgramSize:
    """The program whose variables are the second player's plan: rows |S1| + |U2| + 1, columns |S2| + |U1| + 1."""

    sequences: tuple[int, int]
    infosets: tuple[int, int]
    payoff_nonzeros: int | None = None  # None where only the counts of classes are known

    @property
    def rows(self) -> int:
        return self.sequences[0] + self.infosets[1] + 1

    @property
    def columns(self) -> int:
        return self.sequences[1] + self.infosets[0] + 1

    @property
    def nonzeros(self) -> int | None:
        """Payoffs and both players' plan equations."""
        if self.payoff_nonzeros is None:
            return None
        return self.payoff_nonzeros + sum(self.sequences) + sum(self.infosets)

    def without(self, removed: tuple[int, int]) -> ProgramSize:
        """After sequences of both players are removed; which payoffs go with them is not counted."""
        first, second = (a - b for a, b in zip(self.sequences, removed, strict=True))
        return ProgramSize((first, second), self.infosets)


def program_size(form: SequenceForm) -> ProgramSize:
    """Of a game at hand."""
    counts = (int(form.first_infoset[1]), int(form.first_infoset[2] - form.first_infoset[1]))
    return ProgramSize(form.sequences, counts, int((form.payoff.coordinates(0)[2] != 0.0).sum()))
