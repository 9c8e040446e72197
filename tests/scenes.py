"""Tables laid out by hand: the standard rules, with just the cards, dice and goods that a case needs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sim import layout as lay
from sim.config import Configuration
from sim.game import Game
from sim.jit import cells, entry
from sim.rules.effects import refresh_working
from sim.tables import NO_EXPERIMENT, Experiment
from tests import invariants
from tests.lockstep import configuration_from, seat_record
from tests.naive import samples

BEAST = ("mammal", "herbivore", "forest", "tropical")
IDLE = ("Oceania", "game_end", "", "vp", 0, "")
"""An expert that does nothing."""
NOTHING = ("none", 0, "")
"""A round token that does nothing."""
AFRICA, AMERICAS, ASIA, EUROPE, OCEANIA = range(0, 20, 4)
"""The first die of each colour."""

Option = tuple[object, ...]
GAINED = {"coins": "coins_gained", "expedition_tokens": "tokens_gained", "seals": "seals_gained"}
FIELDS = {
    "coins": lay.COINS,
    "expedition_tokens": lay.EXPEDITION_TOKENS,
    "seals": lay.SEALS,
    "reputation": lay.REPUTATION,
    "vp": lay.VP,
}


@entry
def _refresh_working(state, tables, seat):
    refresh_working(cells(state), cells(tables), seat)


def bare_rules(**changes: Any) -> dict[str, Any]:
    """The standard rules of one round in which nobody starts with anything."""
    rules = samples.standard_rules() | {"rounds": 1, "draft": {"animals": 0}, "start": {"expedition_tokens": 0}}
    return rules | {"coins": {"offsets": [0, 0, 0, 0]}} | changes


def bare_configuration(
    animals: Sequence[tuple[Any, ...]] = (),
    experts: Sequence[tuple[Any, ...]] = (),
    tokens: Sequence[tuple[Any, ...]] = (NOTHING,),
    **changes: Any,
) -> Configuration:
    """Bare rules and the given cards with ids from 1, all of them on display; four idle experts come last."""
    animals = animals or [("Oceania", *BEAST)]
    experts = [*experts, *[IDLE] * 4]
    display = {"experts": len(experts), "animals": [len(animals)] * 3}
    rules = bare_rules(**{"display": display} | changes)
    return configuration_from(rules, samples.make_cards(rules, list(animals), experts, list(tokens)))


class Scene:
    """A game of two or more that stands before the first turn of its only round, and can be laid out anew.

    Whatever is changed keeps to what `tests.invariants` asserts, so that every step of a case is checked.
    """

    def __init__(
        self,
        animals: Sequence[tuple[Any, ...]] = (),
        experts: Sequence[tuple[Any, ...]] = (),
        tokens: Sequence[tuple[Any, ...]] = (NOTHING,),
        players: int = 2,
        experiment: Experiment = NO_EXPERIMENT,
        **changes: Any,
    ) -> None:
        self.configuration = bare_configuration(animals, experts, tokens, **changes)
        self.game = Game(self.configuration, players, 1, 1, experiment)
        while self.game.kind != "target":
            self.game.choose(0)
        self.players = players
        self.dice({})

    @property
    def state(self) -> np.ndarray:
        return self.game.state

    def cell(self, seat: int, field: str) -> int:
        return lay.SEATS + seat * lay.SEAT_SIZE + FIELDS[field]

    def goods(self, seat: int, *fields: str) -> tuple[int, ...] | int:
        """What a seat has of some goods; a plain number for one."""
        found = tuple(int(self.state[self.cell(seat, field)]) for field in fields)
        return found if len(found) > 1 else found[0]

    def record(self, seat: int, column: str) -> int:
        return seat_record(self.game, seat)[lay.SEAT_COLUMNS.index(column)]

    def _count(self, seat: int, column: str, amount: int) -> None:
        self.game.arena.record[lay.REC_SEATS + seat * lay.REC_SEAT_SIZE + lay.SEAT_COLUMNS.index(column)] += amount

    # --- laying out -----------------------------------------------------------------------------------------------

    def give(self, seat: int, **goods: int) -> None:
        """Give a seat goods, VP, or a place on the reputation track that pays nothing."""
        for field, amount in goods.items():
            self.state[self.cell(seat, field)] += amount
            column = {"reputation": "reputation_gained", "vp": "vp_spaces"} | GAINED
            self._count(seat, column[field], amount)

    def dice(
        self, boards: dict[tuple[int, int], tuple[int, int]], areas: dict[int, tuple[str, int]] | None = None
    ) -> None:
        """Lay dice (die, value) on (seat, space) and dice in areas (area, value); the rest of the round's are gone."""
        state, tables, areas = self.state, self.game.tables, areas or {}
        each, spaces = int(tables[lay.DICE_PER_PLAYER]), int(tables[lay.SPACES])
        values = dict(boards.values()) | {die: value for die, (_, value) in areas.items()}
        spare = [die for die in range(int(tables[lay.DICE])) if die not in values]
        drawn = [*values, *spare][: each * self.players]
        state[tables[lay.S_DRAWN] :][: len(drawn)] = drawn
        for die in range(int(tables[lay.DICE])):
            out = die in drawn
            state[tables[lay.S_DIE_VALUE] + die] = values.get(die, 1) if out else 0
            state[tables[lay.S_DIE_WHERE] + die] = lay.DIE_PUBLISHED if out else lay.DIE_IN_BAG
        state[tables[lay.S_BOARDS] :][: self.players * spaces] = lay.NOWHERE
        state[tables[lay.S_EXPEDITION] : tables[lay.S_TOKENS]] = lay.NOWHERE
        state[tables[lay.S_COLOUR_COUNT] :][: tables[lay.CONTINENTS]] = 0
        for (seat, space), (die, _) in boards.items():
            place = seat * spaces + space - 1
            state[tables[lay.S_BOARDS] + place] = die
            state[tables[lay.S_DIE_WHERE] + die] = lay.DIE_ON_BOARD + place
            state[tables[lay.S_COLOUR_COUNT] + tables[tables[lay.T_DIE_COLOUR] + die]] += 1
        counts = state[tables[lay.S_COLOUR_COUNT] :][: tables[lay.CONTINENTS]]
        state[lay.COLOURS] = sum(1 << colour for colour in np.flatnonzero(counts).tolist())
        for die, (area, _) in areas.items():
            names = ("embassy", "bank", "university", "academy", "expedition")
            state[tables[lay.S_DIE_WHERE] + die] = lay.DIE_IN_AREA + names.index(area)
            if area == "expedition":
                start = (
                    tables[lay.S_EXPEDITION] + tables[tables[lay.T_DIE_COLOUR] + die] * tables[lay.EXPEDITION_SPACES]
                )
                row = state[start:][: tables[lay.EXPEDITION_SPACES]]
                row[np.flatnonzero(row < 0)[0]] = die
        expedition = state[tables[lay.S_EXPEDITION] : tables[lay.S_TOKENS]].reshape(int(tables[lay.CONTINENTS]), -1)
        free = np.flatnonzero((expedition < 0).any(axis=1))
        state[lay.OPEN_CONTINENTS] = sum(1 << continent for continent in free.tolist())
        # Even after the last of these dice there is another turn, so that the case can look at what has happened.
        state[lay.STEP] = max(each * self.players - len(boards) - 1, 0)

    def hand(self, seat: int, card: int, cubes: Sequence[int] = ()) -> None:
        """Put an animal from display, deck or discards behind the others in a seat's hand; cubes on types from 1."""
        state, tables, row = self.state, self.game.tables, card - 1
        self._take_out(row, lay.S_ANIMAL_WHERE, lay.S_ACADEMY, lay.ACADEMY_COUNT, lay.C_ANIMALS, lay.ANIMAL_SIZE)
        state[tables[lay.S_HANDS] + seat * tables[lay.ANIMALS] + self._seat(seat, lay.HAND_COUNT)] = row
        state[lay.SEATS + seat * lay.SEAT_SIZE + lay.HAND_COUNT] += 1
        state[tables[lay.S_ANIMAL_WHERE] + row] = lay.IN_HAND + seat
        state[tables[lay.S_ANIMAL_CUBES] + row] = sum(1 << (t - 1) for t in cubes)
        animal = tables[tables[lay.T_ANIMALS] + row * (1 + tables[lay.TYPES]) :]
        state[tables[lay.S_HAND_ANIMALS] + seat * tables[lay.CONTINENTS] + animal[0]] += 1
        for t in cubes:
            state[tables[lay.S_HAND_CUBES] + seat * tables[lay.CATEGORIES] + animal[t]] += 1
        self._count(seat, "animals_drafted", 1)
        self._count(seat, "cubes_researched", len(cubes))

    def employ(self, seat: int, card: int, slot: int) -> None:
        """Put an expert on top of one of a seat's spaces, from 1."""
        state, tables, row = self.state, self.game.tables, card - 1
        self._take_out(row, lay.S_EXPERT_WHERE, lay.S_UNIVERSITY, lay.UNIVERSITY_COUNT, lay.C_EXPERTS, lay.EXPERT_SIZE)
        state[tables[lay.S_SLOTS] + seat * tables[lay.SLOTS] + slot - 1] = row
        state[tables[lay.S_EXPERT_WHERE] + row] = lay.OWNED + seat * lay.OWNED_STEP + slot - 1
        state[lay.SEATS + seat * lay.SEAT_SIZE + lay.EXPERT_COUNT] += 1
        continent = tables[tables[lay.T_EXPERTS] + row * lay.EXPERT_ROW + lay.EXPERT_CONTINENT]
        state[tables[lay.S_CONTINENT_EXPERTS] + seat * tables[lay.CONTINENTS] + continent] += 1
        self._count(seat, "experts_hired", 1)
        _refresh_working(state, tables, seat)

    def discard_academy(self) -> None:
        """Discard the animals on display."""
        state, tables = self.state, self.game.tables
        for row in state[tables[lay.S_ACADEMY] :][: state[lay.ACADEMY_COUNT]].tolist():
            state[tables[lay.S_ANIMAL_WHERE] + row] = lay.DISCARDED
        state[tables[lay.S_ACADEMY] :][: tables[lay.DISPLAY_ANIMALS]] = lay.NOWHERE
        state[lay.ACADEMY_COUNT] = 0

    def _seat(self, seat: int, field: int) -> int:
        return int(self.state[lay.SEATS + seat * lay.SEAT_SIZE + field])

    def _take_out(self, row: int, where: int, display: int, count: int, order: int, size: int) -> None:
        state, tables, chance = self.state, self.game.tables, self.game.arena.chance
        if state[tables[where] + row] == lay.ON_DISPLAY:
            shown = state[tables[display] :][: state[count]]
            rest = [card for card in shown.tolist() if card != row]
            shown[:] = [*rest, lay.NOWHERE]
            state[count] -= 1
        elif state[tables[where] + row] == lay.IN_DECK:
            deck = chance[tables[order] :][: state[size]]
            deck[:] = [*[card for card in deck.tolist() if card != row], row]
            state[size] -= 1

    # --- playing --------------------------------------------------------------------------------------------------

    def turn(self, seat: int, *answers: Option) -> list[tuple[int, str, list[Option]]]:
        """Let a seat take its turn with these answers; return the decisions that were asked, in words.

        The case ends at the next decision after the last answer, which is not among those returned.
        """
        self.state[lay.START_SEAT] = (seat - self.state[lay.STEP]) % self.players
        return self._go_on(lay.PHASE_TURN, answers)

    def seals(self, *answers: Option) -> list[tuple[int, str, list[Option]]]:
        """Go to the round's end, where seals are spent in turn order from seat 0."""
        self.state[lay.START_SEAT] = 0
        self.state[lay.STEP] = 0
        return self._go_on(lay.PHASE_SEAL, answers)

    def _go_on(self, phase: int, answers: Sequence[Option]) -> list[tuple[int, str, list[Option]]]:
        self.state[lay.PHASE] = phase
        self.state[lay.KIND] = lay.KIND_NONE
        # Without a decision there is nothing to apply; the game goes on to the next one.
        self.game._step(0)
        return self.play(*answers)

    def play(self, *answers: Option) -> list[tuple[int, str, list[Option]]]:
        """Answer the decisions that come; return them."""
        asked = []
        invariants.check(self.game)
        for answer in answers:
            options = self.game.options()
            asked.append((self.game.seat, self.game.kind, options))
            assert answer in options, f"{answer} is not among {asked[-1]}"
            self.game.choose(options.index(answer))
            invariants.check(self.game)
        return asked


def options(asked: list[tuple[int, str, list[Option]]], kind: str) -> list[list[Option]]:
    """The options of every decision of a kind."""
    return [words for _, what, words in asked if what == kind]
