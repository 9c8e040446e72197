"""Games of a plan, and some of them again with each card given to a seat or banned from the game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import polars as pl

from analysis.balance.appearance import NOBODY, CardArrays, CardTask, Ratios, appearance_effects, estimable
from analysis.balance.arrays import (
    BlockStore,
    FloatArray,
    GameArrays,
    block_means,
    in_units,
    play_arrays,
    play_units,
    seatings_of,
    unit_of,
)
from analysis.balance.cardgroups import ANIMAL, Items
from analysis.balance.effects import Effects, Measure
from analysis.balance.moments import BlockMoments, Estimate, Strata
from analysis.balance.precision import SILENT, Kind, Progress, widest
from analysis.balance.seats import Group, groups_of
from analysis.runs import Executor, LocalExecutor, Plan

SHOWN, GIFT, BAN = "shown", "gift", "ban"
EXPERIMENTS: Final = pl.Enum([SHOWN, GIFT, BAN])
PAIRED_EXPERIMENTS: Final = (GIFT, BAN)
HOLDER, OTHERS = "holder", "others"
RATES: Final = pl.Enum(["pick", "publish", "win", "vp"])
PAIRED_EVERY: Final = 8
"""One of so many games is played again with each card given, and with each card banned."""
DEAD, MUST_TAKE = "dead", "must-take"
VERDICTS: Final = (DEAD, MUST_TAKE)
LIMITS: Final = {(DEAD, "pick"): 0.1, (DEAD, "gift"): 0.25, (MUST_TAKE, "pick"): 0.9, (MUST_TAKE, "gift"): 2.0}
"""A card is dead if it is picked less often than this when shown, or is worth less than this part of the average card
of its kind as a gift; a must-take if it is picked more often, or worth more."""


def with_gift(plan: Plan, kind: str, identity: int, seat: int) -> Plan:
    """Return a plan in which a seat begins with a card."""
    field = f"given_{kind}s"
    changed: dict[str, Any] = {field: {**getattr(plan.experiment, field), identity: seat}}
    return replace(plan, experiment=replace(plan.experiment, **changed), record_cards=False)


def with_ban(plan: Plan, kind: str, identity: int) -> Plan:
    """Return a plan in which a card is left out of the game."""
    field = f"banned_{kind}s"
    changed: dict[str, Any] = {field: (*getattr(plan.experiment, field), identity)}
    return replace(plan, experiment=replace(plan.experiment, **changed), record_cards=False)


class CardStudy:
    """Games of a plan, and some of them again with each card given and banned (`analysis.balance.precision`).

    A gift goes to one seat in a quarter of the games (of four players) and to each other in another quarter; as every
    line-up plays all rotations, every strategy gets it as often as it sits there.

    Parameters
    ----------
    plan
        What is played.
    games
        How many games will be asked for; None if a precision decides.
    experiments
        Which of ``gift`` and ``ban`` to play.
    paired_every
        One of so many games is played again.
    executor
        Who plays.
    progress
        Told about games played.
    """

    pilot = 4000

    def __init__(
        self,
        plan: Plan,
        games: int | None = None,
        experiments: Sequence[str] = PAIRED_EXPERIMENTS,
        paired_every: int = PAIRED_EVERY,
        executor: Executor | None = None,
        progress: Progress = SILENT,
    ) -> None:
        players = plan.lineups.players
        self.unit = unit_of(plan.lineups, games, paired_every * players)
        self._part = self.unit // (paired_every * players)
        self._every, self._players = paired_every, players
        self.experiments = tuple(experiments)
        self.plan = in_units(replace(plan, record_cards=True), self._part)
        self.items, self.effects = Items(plan.configuration), Effects(plan)
        self.strata = Strata(plan.lineups)
        self.groups = groups_of(plan, self.strata)
        self._names = [player.name for player in plan.strategies] if plan.lineups.is_mixed.any() else []
        self.gift_measures = [
            Measure("total", HOLDER),
            Measure("total", OTHERS),
            Measure("win_share", HOLDER),
            *(Measure("total", name) for name in self._names),
            *(Measure("win_share", name) for name in self._names),
        ]
        self._weights = {
            GIFT: np.hstack(
                [self.items.weights, *(self.items.against(LIMITS[verdict, "gift"]) for verdict in VERDICTS)]
            ),
            BAN: self.items.weights,
        }
        sizes = {GIFT: len(self.gift_measures), BAN: len(self.effects.measures)}
        # A stratum is a line-up with the gift in one seat.
        self._moments = {
            experiment: BlockMoments(len(self.strata) * players, weights.shape[1] * sizes[experiment])
            for experiment, weights in self._weights.items()
        }
        self._shown = BlockStore()
        self.rates = {rate: Ratios(len(self.items)) for rate in RATES.categories.to_list()}
        self._task = CardTask(plan.configuration.cards)
        self._executor, self._progress = executor or LocalExecutor(), progress

    def cost(self, games: int) -> int:
        """Count the games: all once, and some again for each card and experiment."""
        return games + games // self._every * len(self.items.cards) * len(self.experiments)

    def play(self, first: int, last: int) -> None:
        """Play units: for each seat a number of parts, the first of them again with each card given and banned."""
        for piece in range(first * self._players, last * self._players):
            parts = range(piece * self._every, (piece + 1) * self._every)
            dealt = CardArrays.joined(
                play_units(self.plan, self._part, parts, self._executor, self._progress.advance, self._task)
            )
            self._look(dealt)
            if self.experiments:
                self._pair(parts[0], piece % self._players, dealt.games)

    def _look(self, dealt: CardArrays) -> None:
        """Take in what happened to the cards."""
        games = dealt.games
        means = block_means(games.blocks, self.effects.values(games))
        self._shown.add(
            shown=dealt.shown[means.first],
            values=means.values,
            strata=self.strata.of_games(games.games[means.first]),
            games=means.games,
        )
        held = dealt.holder != NOBODY
        seats = np.where(held, dealt.holder, 0).astype(np.int64)
        rows = np.arange(len(games))[:, None]
        above = games.totals - games.totals.mean(axis=1, keepdims=True)
        animals = np.array([kind == ANIMAL for kind in self.items.kinds])
        sums = {
            "pick": (dealt.picked & dealt.shown, dealt.shown),
            "publish": (dealt.published, held & animals),
            "win": (np.where(held, games.shares[rows, seats], 0.0), held),
            "vp": (np.where(held, above[rows, seats], 0.0), held),
        }
        membership = (self.items.weights[:, : len(self.items)] > 0).astype(np.float64)
        for rate, sides in sums.items():
            upper, lower = (
                np.add.reduceat(side.astype(np.float64), means.first, axis=0) @ membership for side in sides
            )
            self.rates[rate].add(upper, lower, means.games)

    def _pair(self, part: int, seat: int, games: GameArrays) -> None:
        """Play a part again with each card given to a seat, and with each card banned."""
        before = GameArrays(*(getattr(games, name)[: self._part] for name in GameArrays.__dataclass_fields__))
        strata = self.strata.of_games(before.games) * self._players + seat
        plain = self.effects.values(before)
        given = self._gift_values(before, seat)
        for experiment in self.experiments:
            differences = []
            for kind, card in zip(self.items.kinds, self.items.cards, strict=True):
                if experiment == GIFT:
                    after = self._play(with_gift(self.plan, kind, card.id, seat), part)
                    differences.append(self._gift_values(after, seat) - given)
                else:
                    after = self._play(with_ban(self.plan, kind, card.id), part)
                    differences.append(self.effects.values(after) - plain)
            # Cards are put together block by block, so that an average of cards has the right error.
            means = block_means(before.blocks, np.hstack(differences))
            by_card = means.values.reshape(len(means.first), len(self.items.cards), -1)
            by_item = self._weights[experiment].T @ by_card
            combined = replace(means, values=by_item.reshape(len(means.first), -1))
            self._moments[experiment].add(strata[means.first], combined)

    def _play(self, plan: Plan, part: int) -> GameArrays:
        return play_arrays(plan, self._part, [part], self._executor, self._progress.advance)

    def _gift_values(self, games: GameArrays, seat: int) -> FloatArray:
        """Measures of a gift: of the seat that gets it, of the others, of each strategy when it sits there."""
        totals, shares = games.totals[:, seat], games.shares[:, seat]
        others = (games.totals.sum(axis=1) - totals) / (games.totals.shape[1] - 1)
        columns = [totals, others, shares]
        if self._names:
            strategy = seatings_of(self.plan.lineups, games.games)[:, seat]
            sits = [strategy == number for number in range(len(self._names))]
            columns += [np.where(there, totals, np.nan) for there in sits]
            columns += [np.where(there, shares, np.nan) for there in sits]
        return np.column_stack(columns)

    def half_width(self, kind: Kind, level: float) -> float:
        """Half the width of the widest interval of a card's gift: VP or win share of the seat that gets it."""
        measure = self.gift_measures.index(Measure("total" if kind == "vp" else "win_share", HOLDER))
        widths = self.paired(GIFT, self.groups[0]).half_width(level)
        return widest(widths.reshape(-1, len(self.gift_measures))[: len(self.items.cards), measure])

    def paired(self, experiment: str, group: Group) -> Estimate:
        """Effects of a gift or a ban; [items · measures], several sets of items one behind the other.

        They are all items, all items above the average of their kind, and of a gift also every card less the limits of
        verdicts.
        """
        return self._moments[experiment].estimate(np.repeat(group.strata, self._players))

    def shown(self, group: Group) -> Estimate:
        """Effects of a card's appearance; [2 · items · measures]."""
        blocks = self._shown.of(group.strata)
        weights = self.items.weights_of(estimable(blocks["shown"]))
        return appearance_effects(blocks["shown"], blocks["values"], blocks["strata"], blocks["games"], weights)

    def estimates(self, group: Group) -> Iterator[tuple[str, list[Measure], Estimate]]:
        """Give out each experiment, its measures and its effects."""
        yield SHOWN, self.effects.measures, self.shown(group)
        for experiment in self.experiments:
            measures = self.gift_measures if experiment == GIFT else self.effects.measures
            yield experiment, measures, self.paired(experiment, group)
