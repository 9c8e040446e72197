"""The engine and its naive twin side by side: one chance, the same choices, the same game."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sim import layout as lay
from sim.cardset import Animal, CardSet, Expert, RoundToken
from sim.config import Configuration
from sim.game import Game
from sim.ruleset import Ruleset
from sim.tables import NO_EXPERIMENT, Experiment
from tests import naive

# Purposes and packing of chance, written down a second time: they are part of what a seed means.
ANIMAL_DECK, EXPERT_DECK, TOKEN_DECK, BAG, ROLL, REROLL, ANIMAL_REMAKE, EXPERT_REMAKE = range(1, 9)
STEP = 64
WARM_UP = 12
AREAS = ("embassy", "bank", "university", "academy")
SETTLED = ("draft", "place", "target", "seal", "none")


# --- configurations as the twin and as the engine read them ---------------------------------------------------------


def configuration_from(rules: dict[str, Any], cards: dict[str, list[dict[str, Any]]]) -> Configuration:
    """Make a checked configuration of a ruleset and card rows as plain data (`tests.naive.samples`)."""

    def given(row: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in row.items() if value != ""}

    types = list(rules["types"])
    return Configuration(
        ruleset=Ruleset.model_validate(rules),
        cards=CardSet(
            animals=tuple(
                Animal(
                    id=row["id"],
                    name=row["name"],
                    latin=row.get("latin") or row["name"],
                    continent=row["continent"],
                    categories=tuple(row[name] for name in types),
                )
                for row in cards["animals"]
            ),
            experts=tuple(Expert(**given(row)) for row in cards["experts"]),
            tokens=tuple(RoundToken(**given(row)) for row in cards["tokens"]),
        ),
    )


def as_plain_data(configuration: Configuration) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
    """Ruleset and card rows of a configuration as the twin reads them."""
    rules = configuration.ruleset.model_dump(mode="json")
    types = list(configuration.ruleset.types)
    animals = [
        {"id": card.id, "continent": card.continent, **dict(zip(types, card.categories, strict=True))}
        for card in configuration.cards.animals
    ]
    experts = [card.model_dump() for card in configuration.cards.experts]
    tokens = [card.model_dump() for card in configuration.cards.tokens]
    return rules, {"animals": animals, "experts": experts, "tokens": tokens}


# --- the engine's chance, worked out a second time ------------------------------------------------------------------


class Stream:
    """One purpose's random numbers, from numpy's own SFC64."""

    def __init__(self, seed: int, luck: int, purpose: int, index: int) -> None:
        self._bits = np.random.SFC64(0)
        words = np.array([seed, luck, purpose << 32 | index, 1], dtype=np.uint64)
        self._bits.state = {"bit_generator": "SFC64", "state": {"state": words}, "has_uint32": 0, "uinteger": 0}
        self._bits.random_raw(WARM_UP)

    def word(self) -> int:
        """Next 64 bits."""
        return int(self._bits.random_raw())

    def below(self, bound: int) -> int:
        """Uniform whole number in 0 … bound − 1: the high half of a 32 by 32 bit product, short ranges rejected."""
        while True:
            product = (self.word() >> 32) * bound
            if product % 2**32 >= 2**32 % bound:
                return product >> 32

    def shuffled(self, items: Sequence[int]) -> list[int]:
        """Items in random order (Fisher–Yates from the end)."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order


class EngineLuck:
    """What the engine's chance decides in one game, for the twin (`tests.naive.luck.Luck`)."""

    def __init__(
        self, configuration: Configuration, seed: int, luck: int, banned: frozenset[int] = frozenset()
    ) -> None:
        self.rules = configuration.ruleset
        self.seed, self.luck = seed, luck
        cards = configuration.cards
        self._rows = {
            "animals": {card.id: row for row, card in enumerate(cards.animals)},
            "experts": {card.id: row for row, card in enumerate(cards.experts)},
        }
        self.animal_order = [
            card for card in self._stream(ANIMAL_DECK, 0).shuffled([c.id for c in cards.animals]) if card not in banned
        ]
        self.expert_order = self._stream(EXPERT_DECK, 0).shuffled([card.id for card in cards.experts])
        self.token_order = self._stream(TOKEN_DECK, 0).shuffled([card.id for card in cards.tokens])

    def _stream(self, purpose: int, index: int) -> Stream:
        return Stream(self.seed, self.luck, purpose, index)

    def die_colour(self, die: int) -> str:
        return self.rules.continents.names[die // self.rules.dice.per_colour]

    def dice(self, round_number: int, seat: int) -> list[tuple[int, int]]:
        each = self.rules.dice.per_player
        bag = range(self.rules.dice.per_colour * len(self.rules.continents.names))
        drawn = self._stream(BAG, round_number).shuffled(bag)[seat * each : (seat + 1) * each]
        roll = self._stream(ROLL, round_number * STEP + seat)
        return [(die, 1 + roll.below(self.rules.dice.sides)) for die in drawn]

    def reroll(self, round_number: int, seat: int, repetition: int) -> int:
        stream = self._stream(REROLL, (round_number * STEP + seat) * STEP + repetition)
        return 1 + stream.below(self.rules.dice.sides)

    def remade(self, deck: str, k: int, ids: list[int]) -> list[int]:
        purpose = {"animals": ANIMAL_REMAKE, "experts": EXPERT_REMAKE}[deck]
        return self._stream(purpose, k).shuffled(sorted(ids, key=self._rows[deck].__getitem__))


# --- the state in words ---------------------------------------------------------------------------------------------


def engine_snapshot(game: Game) -> dict[str, Any]:
    """The `state` of a game log, without its event and round, read from the flat state.

    What the state does not keep comes in a fixed order: dice within an area, published animals and the covered cards
    of an expert space ascend.
    """
    return _Reader(game).snapshot()


class _Reader:
    def __init__(self, game: Game) -> None:
        self.state, self.tables = game.state.tolist(), game.tables.tolist()
        self.rules, self.cards = game.configuration.ruleset, game.configuration.cards
        self.animals = [card.id for card in self.cards.animals]
        self.experts = [card.id for card in self.cards.experts]
        self.categories = [f"{name}:{item}" for name, kind in self.rules.types.items() for item in kind.categories]

    def part(self, key: int, size: int, number: int = 0) -> list[int]:
        """Cells of the `number`-th of several equal parts that begin where the tables say."""
        start = self.tables[key] + number * size
        return self.state[start : start + size]

    def snapshot(self) -> dict[str, Any]:
        return {
            "seats": [self.seat(number) for number in range(self.tables[lay.PLAYERS])],
            "academy": [self.animals[row] for row in self.part(lay.S_ACADEMY, self.state[lay.ACADEMY_COUNT])],
            "university": [self.experts[row] for row in self.part(lay.S_UNIVERSITY, self.state[lay.UNIVERSITY_COUNT])],
            "board": {
                **{area: self.dice_in(action) for action, area in enumerate(AREAS)},
                "expedition": {
                    name: [_or_none(die) for die in self.part(lay.S_EXPEDITION, self.tables[lay.EXPEDITION_SPACES], n)]
                    for n, name in enumerate(self.rules.continents.names)
                },
            },
        }

    def dice_in(self, action: int) -> list[int]:
        where = self.part(lay.S_DIE_WHERE, self.tables[lay.DICE])
        return [die for die, place in enumerate(where) if place == lay.DIE_IN_AREA + action]

    def seat(self, number: int) -> dict[str, Any]:
        start = lay.SEATS + number * lay.SEAT_SIZE
        cells = self.state[start : start + lay.SEAT_SIZE]
        where = self.part(lay.S_ANIMAL_WHERE, len(self.animals))
        counts = self.part(lay.S_CATEGORY_CUBES, len(self.categories), number)
        published = sorted(card for card, at in zip(self.animals, where, strict=True) if at == lay.PUBLISHED + number)
        assert len(published) == cells[lay.PUBLISHED_COUNT]
        return {
            "coins": cells[lay.COINS],
            "expedition_tokens": cells[lay.EXPEDITION_TOKENS],
            "seals": cells[lay.SEALS],
            "reputation": cells[lay.REPUTATION],
            "vp": cells[lay.VP],
            "animals": self.hand(number, cells[lay.HAND_COUNT]),
            "published": published,
            "experts": [self.pile(number, slot) for slot in range(self.tables[lay.SLOTS])],
            "categories": {name: count for name, count in zip(self.categories, counts, strict=True) if count},
            "spaces": [_or_none(die) for die in self.part(lay.S_BOARDS, self.tables[lay.SPACES], number)],
        }

    def hand(self, seat: int, count: int) -> list[dict[str, Any]]:
        rows = self.part(lay.S_HANDS, len(self.animals), seat)
        assert set(rows[count:]) <= {lay.NOWHERE}
        cubes = self.part(lay.S_ANIMAL_CUBES, len(self.animals))
        types = range(self.tables[lay.TYPES])
        return [
            {"id": self.animals[row], "cubes": [t + 1 for t in types if cubes[row] >> t & 1]} for row in rows[:count]
        ]

    def pile(self, seat: int, slot: int) -> list[int]:
        top = self.part(lay.S_SLOTS, self.tables[lay.SLOTS], seat)[slot]
        place = lay.OWNED + seat * lay.OWNED_STEP + slot
        where = self.part(lay.S_EXPERT_WHERE, len(self.experts))
        covered = [self.experts[row] for row, at in enumerate(where) if at == place and row != top]
        assert top >= 0 or not covered
        return [] if top < 0 else [*sorted(covered), self.experts[top]]


def _or_none(die: int) -> int | None:
    return die if die >= 0 else None


def twin_snapshot(twin: naive.Game) -> dict[str, Any]:
    """The twin's state in the order that `engine_snapshot` gives it."""
    state = twin.snapshot()
    for seat in state["seats"]:
        seat["published"].sort()
        seat["experts"] = [[*sorted(pile[:-1]), *pile[-1:]] for pile in seat["experts"]]
    for area in AREAS:
        state["board"][area].sort()
    return state


def engine_scores(game: Game) -> list[dict[str, int]]:
    """Every seat's final score, part by part, as the twin gives it."""
    parts = {
        "vp": None,
        "category_bonus": lay.REC_VP_CATEGORIES,
        "continent_bonus": lay.REC_VP_CONTINENTS,
        "seals": lay.REC_VP_SEALS,
        "coins": lay.REC_VP_COINS,
        "expedition_tokens": lay.REC_VP_EXPEDITION_TOKENS,
        "experts": lay.REC_VP_EXPERTS_END,
        "total": lay.REC_TOTAL,
    }
    scores = []
    for seat in range(int(game.tables[lay.PLAYERS])):
        row = seat_record(game, seat)
        vp = int(game.state[lay.SEATS + seat * lay.SEAT_SIZE + lay.VP])
        scores.append({name: vp if column is None else row[column] for name, column in parts.items()})
    return scores


def seat_record(game: Game, seat: int) -> list[int]:
    """What was recorded of a seat, by `sim.layout.SEAT_COLUMNS`."""
    start = lay.REC_SEATS + seat * lay.REC_SEAT_SIZE
    row: list[int] = game.arena.record[start : start + lay.REC_SEAT_SIZE].tolist()
    return row


def win_shares(game: Game) -> list[float]:
    """Every seat's share of the win (9.5)."""
    ties = [seat_record(game, seat)[lay.REC_WIN_TIES] for seat in range(int(game.tables[lay.PLAYERS]))]
    return [1 / count if count else 0.0 for count in ties]


# --- side by side ---------------------------------------------------------------------------------------------------


class Pair:
    """A game of the engine and the same game of the twin."""

    def __init__(
        self,
        configuration: Configuration,
        players: int,
        seed: int,
        luck: int,
        banned: Sequence[int] = (),
    ) -> None:
        experiment = Experiment(banned_animals=banned) if banned else NO_EXPERIMENT
        self.what = f"seed {seed}, luck {luck}, {players} players, ruleset {configuration.ruleset.name!r}"
        self.path: list[int] = []
        self.game = Game(configuration, players, seed, luck, experiment)
        rules, cards = as_plain_data(configuration)
        cards["animals"] = [row for row in cards["animals"] if row["id"] not in banned]
        self.twin = naive.Game(rules, cards, players, EngineLuck(configuration, seed, luck, frozenset(banned)))
        self.compare()

    def choose(self, index: int) -> None:
        """Take the engine's option at `index` in both games, and compare where they have come to."""
        option = self.game.options()[index]
        self.path.append(index)
        self.game.choose(index)
        self.twin.choose(option)
        self.compare()

    def compare(self) -> None:
        """Assert that both games wait for the same decision, in the same state where things are settled."""
        game, decision = self.game, self.twin.decision
        __tracebackhide__ = True
        place = f"{self.what}, after choices {self.path}"
        if game.over or decision is None:
            assert game.over, f"{place}: the twin's game is over, the engine asks for {game.kind}"
            assert decision is None, f"{place}: the engine's game is over, the twin asks for {decision}"
            scores = self.twin.scores()
            assert engine_scores(game) == scores, place
            assert game.totals() == [score["total"] for score in scores], place
            assert win_shares(game) == self.twin.win_shares(), place
        else:
            assert (game.seat, game.kind) == (decision.seat, decision.kind), f"{place}: {game.options()}"
            options = game.options()
            assert len(options) == len(set(options)) == len(decision.options), f"{place}: {decision}, {options}"
            assert set(options) == set(decision.options), f"{place}: {decision}, {options}"
        if game.kind in SETTLED:
            assert engine_snapshot(game) == twin_snapshot(self.twin), place


Picker = Callable[[Game], int]


def eager_picker(seed: int) -> Picker:
    """Random choices, with more expeditions, cubes and publications than blind ones would make."""
    rng = random.Random(seed)

    def pick(game: Game) -> int:
        options = game.options()
        liked = [n for n, option in enumerate(options) if option[0] in ("expedition", "publication", "cube")]
        return rng.choice(liked) if liked and rng.random() < 0.5 else rng.randrange(len(options))

    return pick


def play_pair(pair: Pair, pick: Picker) -> Counter[str]:
    """Play both games to their end; return how often each kind of decision came up, and what else is worth counting."""
    seen: Counter[str] = Counter()
    while not pair.game.over:
        seen[pair.game.kind] += 1
        pair.choose(pick(pair.game))
    state = pair.game.state
    seen["animal remakes"] += int(state[lay.ANIMAL_REMAKES])
    seen["expert remakes"] += int(state[lay.EXPERT_REMAKES])
    seen["games"] += 1
    return seen
