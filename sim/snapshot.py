"""What lies on the table, in the words of the cards: the `state` and `score` of a game log."""

from __future__ import annotations

from typing import Any, Final

from sim import layout as lay
from sim.game import Game
from sim.vocabulary import ACTIONS

_AREAS: Final = ACTIONS[: lay.EXPEDITION]
"""Action areas that hold any number of dice; expeditions have spaces."""
_SCORE_COLUMNS: Final = {
    "category_bonus": lay.REC_VP_CATEGORIES,
    "continent_bonus": lay.REC_VP_CONTINENTS,
    "seals": lay.REC_VP_SEALS,
    "coins": lay.REC_VP_COINS,
    "expedition_tokens": lay.REC_VP_EXPEDITION_TOKENS,
    "experts": lay.REC_VP_EXPERTS_END,
    "total": lay.REC_TOTAL,
}


class Table:
    """Says the state in names and ids; keeps what the state does not know: orders, and covered experts."""

    def __init__(self, game: Game) -> None:
        rules, cards = game.configuration.ruleset, game.configuration.cards
        self._game = game
        self._tables: list[int] = game.tables.tolist()
        self.animals: Final = [card.id for card in cards.animals]
        self.experts: Final = [card.id for card in cards.experts]
        self.tokens: Final = [card.id for card in cards.tokens]
        self.continents: Final = rules.continents.names
        self._categories = [f"{name}:{item}" for name, kind in rules.types.items() for item in kind.categories]
        players = self._tables[lay.PLAYERS]
        self._published: list[list[int]] = [[] for _ in range(players)]
        self._areas: dict[str, list[int]] = {area: [] for area in _AREAS}
        self._stacks: list[list[list[int]]] = [[[] for _ in range(self._tables[lay.SLOTS])] for _ in range(players)]
        self._find_given_experts()

    def _find_given_experts(self) -> None:
        """Stack the experts that seats begin with, in the order of their file."""
        where = self._part(self._cells(), lay.S_EXPERT_WHERE, len(self.experts))
        for expert, place in enumerate(where):
            if place >= lay.OWNED:
                seat, slot = divmod(place - lay.OWNED, lay.OWNED_STEP)
                self.add_expert(seat, slot, expert, under=False)

    def _cells(self) -> list[int]:
        """Cells of the state as Python numbers."""
        cells: list[int] = self._game.state.tolist()
        return cells

    def colour(self, die: int) -> str:
        """Colour of a die."""
        return self.continents[self._tables[self._tables[lay.T_DIE_COLOUR] + die]]

    def add_expert(self, seat: int, slot: int, expert: int, *, under: bool) -> None:
        """Put an expert on its space, on top or at the very bottom."""
        stack = self._stacks[seat][slot]
        stack.insert(0 if under else len(stack), self.experts[expert])

    def clear_areas(self) -> None:
        """All dice go back to the bag."""
        for dice in self._areas.values():
            dice.clear()

    def take_from_area(self, die: int) -> None:
        """Take a die out of its area, for a seal."""
        for dice in self._areas.values():
            if die in dice:
                dice.remove(die)

    def lay_down(self, action: dict[str, Any], before: dict[str, Any]) -> None:
        """Remember in which order dice came to the areas, and animals beside the board."""
        if action["action"] in self._areas:
            self._areas[action["action"]].append(action["die"])
        if action["action"] == "publication":
            seat = action["seat"]
            published = {action["reference"], *(animal for animal, _ in action["gave"]), *action["also"]}
            hand = [animal["id"] for animal in before["seats"][seat]["animals"]]
            self._published[seat] += [animal for animal in hand if animal in published]

    def _part(self, cells: list[int], key: int, size: int, number: int = 0) -> list[int]:
        """Cells of the `number`-th of several equal parts that begin where the tables say."""
        start = self._tables[key] + number * size
        return cells[start : start + size]

    def academy(self) -> list[int]:
        """Animals on display."""
        cells = self._cells()
        return [self.animals[row] for row in self._part(cells, lay.S_ACADEMY, cells[lay.ACADEMY_COUNT])]

    def university(self) -> list[int]:
        """Experts on display."""
        cells = self._cells()
        return [self.experts[row] for row in self._part(cells, lay.S_UNIVERSITY, cells[lay.UNIVERSITY_COUNT])]

    def state(self) -> dict[str, Any]:
        """Return the `state` event of what lies on the table now."""
        cells = self._cells()
        expeditions = {
            name: [_die(cell) for cell in self._part(cells, lay.S_EXPEDITION, self._tables[lay.EXPEDITION_SPACES], n)]
            for n, name in enumerate(self.continents)
        }
        return {
            "event": "state",
            "round": cells[lay.ROUND],
            "seats": [self._seat(cells, seat) for seat in range(self._tables[lay.PLAYERS])],
            "academy": self.academy(),
            "university": self.university(),
            "board": {**{area: list(dice) for area, dice in self._areas.items()}, "expedition": expeditions},
        }

    def _seat(self, cells: list[int], seat: int) -> dict[str, Any]:
        start = lay.SEATS + seat * lay.SEAT_SIZE
        own = cells[start : start + lay.SEAT_SIZE]
        counts = self._part(cells, lay.S_CATEGORY_CUBES, len(self._categories), seat)
        return {
            "coins": own[lay.COINS],
            "expedition_tokens": own[lay.EXPEDITION_TOKENS],
            "seals": own[lay.SEALS],
            "reputation": own[lay.REPUTATION],
            "vp": own[lay.VP],
            "animals": self._hand(cells, seat, own[lay.HAND_COUNT]),
            "published": list(self._published[seat]),
            "experts": [list(stack) for stack in self._stacks[seat]],
            "categories": {name: count for name, count in zip(self._categories, counts, strict=True) if count},
            "spaces": [_die(cell) for cell in self._part(cells, lay.S_BOARDS, self._tables[lay.SPACES], seat)],
        }

    def _hand(self, cells: list[int], seat: int, count: int) -> list[dict[str, Any]]:
        cubes = self._part(cells, lay.S_ANIMAL_CUBES, len(self.animals))
        types = range(self._tables[lay.TYPES])
        return [
            {"id": self.animals[row], "cubes": [number + 1 for number in types if cubes[row] >> number & 1]}
            for row in self._part(cells, lay.S_HANDS, len(self.animals), seat)[:count]
        ]

    def score(self) -> dict[str, Any]:
        """Return the `score` event of a game that is over (rule 9)."""
        record, cells = self._game.arena.record.tolist(), self._cells()
        seats, shares = [], []
        for seat in range(self._tables[lay.PLAYERS]):
            start = lay.REC_SEATS + seat * lay.REC_SEAT_SIZE
            kept = record[start : start + lay.REC_SEAT_SIZE]
            parts = {"vp": cells[lay.SEATS + seat * lay.SEAT_SIZE + lay.VP]}
            seats.append(parts | {name: kept[column] for name, column in _SCORE_COLUMNS.items()})
            ties = kept[lay.REC_WIN_TIES]
            shares.append(1 / ties if ties else 0.0)
        return {"event": "score", "seats": seats, "win_share": shares}


def _die(cell: int) -> int | None:
    return cell if cell >= 0 else None
