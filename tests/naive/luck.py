"""Chance for the twin's own tests; any object with these names will do."""

import random
from typing import Protocol


class Luck(Protocol):
    """Everything that chance decides in one game (rule 11.2)."""

    animal_order: list[int]
    expert_order: list[int]
    token_order: list[int]

    def die_colour(self, die: int) -> str:
        """Colour (a continent's name) of a die."""

    def dice(self, round_number: int, seat: int) -> list[tuple[int, int]]:
        """(die, value) pairs in the order drawn."""

    def reroll(self, round_number: int, seat: int, repetition: int) -> int:
        """Value of the die that a seat's first (0), second (1), … seal of the round rolls."""

    def remade(self, deck: str, k: int, ids: list[int]) -> list[int]:
        """Order of the k-th remake of "animals" or "experts" from the sorted ids."""


class RandomLuck:
    """Luck from a seed; every value is a function of what is asked, not of when."""

    def __init__(self, ruleset: dict, cards: dict, players: int, seed: int) -> None:
        self.ruleset = ruleset
        self.players = players
        self.seed = seed
        self.animal_order = self._shuffled("animals", [row["id"] for row in cards["animals"]])
        self.expert_order = self._shuffled("experts", [row["id"] for row in cards["experts"]])
        self.token_order = self._shuffled("tokens", [row["id"] for row in cards["tokens"]])
        self.colours = [name for name in ruleset["continents"]["names"] for _ in range(ruleset["dice"]["per_colour"])]

    def _random(self, *purpose) -> random.Random:
        return random.Random(repr((self.seed, *purpose)))

    def _shuffled(self, purpose: str, ids: list[int]) -> list[int]:
        ids = sorted(ids)
        self._random(purpose).shuffle(ids)
        return ids

    def die_colour(self, die: int) -> str:
        return self.colours[die]

    def dice(self, round_number: int, seat: int) -> list[tuple[int, int]]:
        bag = list(range(len(self.colours)))
        self._random("bag", round_number).shuffle(bag)
        each = self.ruleset["dice"]["per_player"]
        roll = self._random("roll", round_number, seat)
        return [(die, roll.randint(1, self.ruleset["dice"]["sides"])) for die in bag[seat * each : (seat + 1) * each]]

    def reroll(self, round_number: int, seat: int, repetition: int) -> int:
        return self._random("seal", round_number, seat, repetition).randint(1, self.ruleset["dice"]["sides"])

    def remade(self, deck: str, k: int, ids: list[int]) -> list[int]:
        order = list(ids)
        self._random("remade", deck, k).shuffle(order)
        return order
