"""What lies on the table: cards, decks, the seats and the board."""

from collections import Counter
from dataclasses import dataclass, field

from tests.naive.luck import Luck

Option = tuple
AREAS = ("embassy", "bank", "university", "academy")


@dataclass(frozen=True)
class Decision:
    """A choice with more than one option, waiting for a player."""

    seat: int
    kind: str
    options: list[Option]


@dataclass(frozen=True)
class AnimalCard:
    """An animal; `categories[t - 1]` is its category of type t, such as "diet:carnivore"."""

    id: int
    continent: str
    categories: tuple[str, ...]


@dataclass(frozen=True)
class ExpertCard:
    """An expert (rule 7); empty text where a column is empty."""

    id: int
    continent: str
    trigger: str
    trigger_continent: str
    effect: str
    amount: int
    filter: str

    def works_for(self, action: str, continent: str | None) -> bool:
        """Whether this action (with a thing of that continent) is what the card waits for (7.1)."""
        return self.trigger == action and self.trigger_continent in ("", continent)


@dataclass(frozen=True)
class Token:
    """A round token (rule 8)."""

    id: int
    effect: str
    amount: int
    scope: str


@dataclass(eq=False)
class Animal:
    """An unpublished animal in front of a player, and the types that carry a cube."""

    card: AnimalCard
    cubes: set[int] = field(default_factory=set)


@dataclass(eq=False)
class Seat:
    """One player."""

    number: int
    spaces: list[int | None]  # a die, or None, on each space of the player board
    experts: list[list[int]]  # each expert space, bottom to top
    coins: int = 0
    expedition_tokens: int = 0
    seals: int = 0
    reputation: int = 0  # where the marker stands
    track_paid: int = 0  # up to where the track's bonuses have been paid
    vp: int = 0
    animals: list[Animal] = field(default_factory=list)  # unpublished, in the order acquired
    published: list[int] = field(default_factory=list)
    categories: Counter[str] = field(default_factory=Counter)  # own cubes on each category space
    cubes_taken: int = 0  # out of the supply
    cubes_returned: int = 0


class Deck:
    """A draw pile and its discards; remade when a card is due and the pile is empty (3.1)."""

    def __init__(self, name: str, order: list[int], luck: Luck) -> None:
        self.name = name
        self.pile = list(order)
        self.discards: list[int] = []
        self.remakes = 0
        self.luck = luck

    def _card_is_due(self) -> bool:
        if not self.pile and self.discards:
            self.pile = list(self.luck.remade(self.name, self.remakes, sorted(self.discards)))
            self.discards = []
            self.remakes += 1
        return bool(self.pile)

    def from_front(self) -> int | None:
        """Card for a display (11.2), None when there is none."""
        return self.pile.pop(0) if self._card_is_due() else None

    def from_back(self) -> int | None:
        """Card for an effect (11.2), None when there is none."""
        return self.pile.pop() if self._card_is_due() else None


@dataclass(eq=False)
class Board:
    """The game board: dice in the areas, dice on the expedition spaces, cards on display."""

    areas: dict[str, list[int]]
    expedition: dict[str, list[int | None]]
    academy: list[int] = field(default_factory=list)
    university: list[int] = field(default_factory=list)

    def dice(self) -> list[int]:
        """Every die lying in an action area (6.2)."""
        lying = [die for area in AREAS for die in self.areas[area]]
        return lying + [die for row in self.expedition.values() for die in row if die is not None]

    def remove(self, die: int) -> None:
        """Take a die off the board; an expedition space it lay on is free again (6.2)."""
        for area in AREAS:
            if die in self.areas[area]:
                self.areas[area].remove(die)
        for row in self.expedition.values():
            if die in row:
                row[row.index(die)] = None


def read_animals(rows: list[dict], types: list[str]) -> dict[int, AnimalCard]:
    """Animal cards by id, from the rows of animals.csv."""
    return {
        row["id"]: AnimalCard(row["id"], row["continent"], tuple(f"{name}:{row[name]}" for name in types))
        for row in rows
    }


def read_experts(rows: list[dict]) -> dict[int, ExpertCard]:
    """Expert cards by id, from the rows of experts.csv."""
    return {
        row["id"]: ExpertCard(
            row["id"],
            row["continent"],
            row["trigger"],
            row.get("trigger_continent") or "",
            row["effect"],
            int(row.get("amount") or 0),
            str(row.get("effect_filter") or ""),
        )
        for row in rows
    }


def read_tokens(rows: list[dict]) -> dict[int, Token]:
    """Round tokens by id, from the rows of tokens.csv."""
    return {
        row["id"]: Token(row["id"], row["effect"], int(row.get("amount") or 0), row.get("scope") or "everyone")
        for row in rows
    }
