"""Cards and the groups they belong to: kinds, continents, categories, triggers, effects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.balance.arrays import FloatArray
from analysis.columns import CARD_KINDS
from sim.config import Configuration

ANIMAL, EXPERT = CARD_KINDS.categories.to_list()


@dataclass(frozen=True)
class CardGroup:
    """Some cards of one kind that have something in common.

    Attributes
    ----------
    kind
        ``animal`` or ``expert``.
    grouping
        What they have in common: ``kind``, ``continent``, a type's name, ``trigger``, ``effect``.
    value
        Which one.
    rows : int64[cards]
        Their places among all cards, animals first.
    """

    kind: str
    grouping: str
    value: str
    rows: NDArray[np.int64]


def card_groups(configuration: Configuration) -> list[CardGroup]:
    """List the groups of a card set, in the order of ruleset and cards.

    Examples
    --------
    >>> from sim.config import load_configuration
    >>> groups = card_groups(load_configuration())
    >>> [(group.grouping, group.value, len(group.rows)) for group in groups][:2]
    [('kind', 'animal', 75), ('continent', 'Africa', 15)]
    """
    rules, cards = configuration.ruleset, configuration.cards
    animals = {ANIMAL: {"kind": [ANIMAL] * len(cards.animals), "continent": [card.continent for card in cards.animals]}}
    for number, name in enumerate(rules.types):
        animals[ANIMAL][name] = [card.categories[number] for card in cards.animals]
    experts = {
        EXPERT: {
            "kind": [EXPERT] * len(cards.experts),
            "continent": [card.continent for card in cards.experts],
            "trigger": [card.trigger for card in cards.experts],
            "effect": [card.effect for card in cards.experts],
        }
    }
    groups = []
    for kind, groupings in (animals | experts).items():
        first = len(cards.animals) if kind == EXPERT else 0
        for grouping, values in groupings.items():
            for value in dict.fromkeys(values):
                rows = first + np.array([row for row, each in enumerate(values) if each == value], dtype=np.int64)
                groups.append(CardGroup(kind, grouping, value, rows))
    return groups


class Items:
    """Everything that effects are estimated of: each card, each group, and both above the average card of their kind.

    Parameters
    ----------
    configuration
        Ruleset and card set.

    Attributes
    ----------
    groups
        Of the card set.
    weights : float64[cards, 2 · (cards + groups)]
        Weights of the cards in each item: the items, then the items above the average of their kind.
    """

    def __init__(self, configuration: Configuration) -> None:
        self.cards = [*configuration.cards.animals, *configuration.cards.experts]
        animals = len(configuration.cards.animals)
        self.kinds = [ANIMAL] * animals + [EXPERT] * (len(self.cards) - animals)
        self.groups = card_groups(configuration)
        self.weights = self.weights_of(np.ones(len(self.cards), dtype=np.bool_))

    def weights_of(self, known: NDArray[np.bool_]) -> FloatArray:
        """Return the weights if only some cards are known: averages are then those of the known ones.

        Parameters
        ----------
        known : bool[cards]
            Which.

        Returns
        -------
        float64[cards, 2 · (cards + groups)]
            A group of which no card is known keeps its weights.
        """
        of_groups = np.zeros((len(self.cards), len(self.groups)))
        for column, group in enumerate(self.groups):
            rows = group.rows[known[group.rows]] if known[group.rows].any() else group.rows
            of_groups[rows, column] = 1 / len(rows)
        averages = {
            group.kind: of_groups[:, column] for column, group in enumerate(self.groups) if group.grouping == "kind"
        }
        plain = np.hstack([np.eye(len(self.cards)), of_groups])
        above = plain - np.column_stack(
            [averages[kind] for kind in (*self.kinds, *(group.kind for group in self.groups))]
        )
        above[np.abs(above) < 1e-15] = 0.0
        return np.hstack([plain, above])

    def against(self, times: float) -> FloatArray:
        """Weights of every card less some times the average card of its kind; float64[cards, cards]."""
        kinds = np.array(self.kinds)
        same = (kinds[:, None] == kinds[None, :]).astype(np.float64)
        return np.asarray(np.eye(len(kinds)) - times * same / same.sum(axis=0))

    def __len__(self) -> int:
        return len(self.cards) + len(self.groups)

    def keys(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return what names the cards (kind, id, name) and the groups (kind, grouping, value, cards)."""
        cards = pl.DataFrame(
            {"kind": self.kinds, "id": [card.id for card in self.cards], "name": [card.name for card in self.cards]},
            schema={"kind": CARD_KINDS, "id": pl.Int32, "name": pl.String},
        )
        groups = pl.DataFrame(
            [(group.kind, group.grouping, group.value, len(group.rows)) for group in self.groups],
            schema={"kind": CARD_KINDS, "grouping": pl.String, "value": pl.String, "cards": pl.Int32},
            orient="row",
        )
        return cards, groups
