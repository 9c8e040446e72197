"""The numbers of the rules as checked, frozen models; the schema is in docs/architecture.md."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from sim.faults import one_of, suggestion
from sim.vocabulary import SPACE_EFFECTS, TRACK_EFFECTS

LARGEST: Final = 1000
"""Largest amount: whatever a game adds up from such amounts stays far inside 32 bits."""

CARD_COLUMNS: Final = ("id", "name", "latin", "continent")
"""Columns of animals.csv beside the types; a type cannot be called like one of them."""

PROVENANCE: Final = re.compile(r"(S|P|A|changed) ?(\d+(?:\.\d+)?)?")


class Fault(NamedTuple):
    """What is wrong with one key."""

    key: str
    message: str


class CrossFaultsError(ValueError):
    """Faults of values that are fine alone and do not fit together."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(f"{fault.key}: {fault.message}" for fault in faults))
        self.faults = faults


def _plain(text: str) -> str:
    """Refuse names that could not stand in a filter, a key or a cell of a table."""
    if not re.fullmatch(r"\w(?:[\w '\-]*\w)?", text):
        raise ValueError(f"found {text!r}; a name is made of letters, digits, spaces, - and '")
    return text


Item = TypeVar("Item")


def _unique(names: tuple[Item, ...]) -> tuple[Item, ...]:
    """Refuse a name that is given twice."""
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"{twice!r} is given more than once")
    return names


def _whole(key: object) -> object:
    """Read a space's number, which TOML can only write as a text."""
    return int(key) if isinstance(key, str) and re.fullmatch(r"[1-9][0-9]{0,3}", key) else key


def _among(allowed: tuple[str, ...]) -> Callable[[str], str]:
    """Build the check that a text is one of a closed list."""

    def check(text: str) -> str:
        if text not in allowed:
            raise ValueError(one_of(text, allowed))
        return text

    return check


def _ascending(spaces: dict[int, Item]) -> dict[int, Item]:
    """Put spaces in order, so that equal rulesets are written and hashed alike."""
    return dict(sorted(spaces.items()))


Count = Annotated[int, Field(strict=True, ge=0, le=LARGEST)]
Positive = Annotated[int, Field(strict=True, ge=1, le=LARGEST)]
Size = Annotated[int, Field(strict=True, ge=1, le=100)]
Points = Annotated[int, Field(strict=True, ge=-LARGEST, le=LARGEST)]
Number = Annotated[int, BeforeValidator(_whole), Field(strict=True, ge=1, le=LARGEST)]
Seats = Annotated[int, Field(strict=True, ge=2, le=10)]
Counts = Annotated[tuple[Count, ...], Field(min_length=1, max_length=100)]
PointList = Annotated[tuple[Points, ...], Field(min_length=1, max_length=100)]
Name = Annotated[str, AfterValidator(_plain)]
Names = Annotated[tuple[Name, ...], Field(min_length=1, max_length=100), AfterValidator(_unique)]


class Part(BaseModel):
    """Base of every table: frozen, and without keys that nobody reads."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Players(Part):
    """Numbers of players the rules allow."""

    fewest: Seats
    most: Seats


class Dice(Part):
    """The bag and what each player draws from it (rules 1.1, 3.3)."""

    per_colour: Size
    sides: Size
    per_player: Size


class Display(Part):
    """Cards face up at the start of a round (rule 2.2)."""

    experts: Count
    animals: Counts


class Draft(Part):
    """Animals each player picks before the first round (rule 2.3)."""

    animals: Count


class Start(Part):
    """What every player starts with (rule 2.4)."""

    expedition_tokens: Count


class Coins(Part):
    """Coins at the start, by seat (rule 2.4)."""

    offsets: Counts


class Gain(Part):
    """An effect that a space pays."""

    effect: str
    amount: Points

    @field_validator("amount")
    @classmethod
    def _only_points_fall(cls, amount: int, info: ValidationInfo) -> int:
        if amount < 0 and info.data.get("effect", "vp") != "vp":
            raise ValueError(f"found {amount}; only vp may be negative")
        return amount


class BoardSpace(Gain):
    """What the owner of a taken die gains (rule 4.1)."""

    effect: Annotated[str, AfterValidator(_among(SPACE_EFFECTS))]


class TrackSpace(Gain):
    """What reaching a space of the reputation track pays (rule 10.1)."""

    effect: Annotated[str, AfterValidator(_among(TRACK_EFFECTS))]


class Board(Part):
    """The spaces for dice on a player board, by number (rule 4.1)."""

    spaces: Annotated[dict[Number, BoardSpace], AfterValidator(_ascending)]


class Recolour(Part):
    """The price of another colour (rule 4.3)."""

    expedition_tokens: Count


class Boost(Part):
    """Value bought with a coin or, in an expedition, a token (rule 4.4)."""

    per_coin: Count
    per_token: Count


class Embassy(Part):
    """Tokens by value (rule 4.6)."""

    expedition_tokens: Counts


class Bank(Part):
    """Coins of a bank action (rule 4.7)."""

    coins: Count


class University(Part):
    """Expert spaces, and the bonus for a matching die (rule 4.8)."""

    spaces: Size
    match_reputation: Count


class Academy(Part):
    """Reputation by value (rule 4.9)."""

    reputation: Counts


class Expedition(Part):
    """Reputation of each space of a continent (rule 4.10)."""

    reputation: Counts


class Publication(Part):
    """Seals of a publication, and points of each published animal (rules 4.11, 5.7)."""

    seals: Count
    animal_vp: Points


class Continents(Part):
    """Continents, which are also the colours of the dice (rule 1.1)."""

    names: Names


class TypeRule(Part):
    """One type of an animal: its categories, price, threshold and points (rules 1.2, 4.10, 5.2, 5.5)."""

    categories: Names
    cost: Positive
    publish_from: Positive
    vp: Points


class Seals(Part):
    """Seals a player may spend at a round's end (rule 6.1)."""

    per_round: Count


class Scoring(Part):
    """Points at the end of the game (rules 9.2 to 9.4)."""

    category_bonus: PointList
    continent_bonus: PointList
    seal_vp: Points
    coins_per_vp: Positive
    expedition_token_vp: Points


class Reputation(Part):
    """The reputation track (rule 10.1)."""

    beyond_vp: Points
    length: Count
    track: Annotated[dict[Number, TrackSpace], AfterValidator(_ascending)]


class Ruleset(Part):
    """Every number of the rules, checked; `types` keeps the order of the types.

    Two rulesets that differ in the order of their types alone compare equal; `content_hash` tells them apart.
    """

    name: Annotated[str, Field(min_length=1)]
    rounds: Size
    start_player: Literal["fixed", "rotate"]
    players: Players
    dice: Dice
    display: Display
    draft: Draft
    start: Start
    coins: Coins
    board: Board
    recolour: Recolour
    boost: Boost
    embassy: Embassy
    bank: Bank
    university: University
    academy: Academy
    expedition: Expedition
    publication: Publication
    continents: Continents
    types: Annotated[dict[Name, TypeRule], Field(min_length=1, max_length=10)]
    seals: Seals
    scoring: Scoring
    reputation: Reputation
    provenance: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _fits_together(self) -> "Ruleset":
        faults = [*_seat_faults(self), *_board_faults(self), *_type_faults(self), *_provenance_faults(self)]
        if faults:
            raise CrossFaultsError(faults)
        return self


def _seat_faults(rules: Ruleset) -> Iterator[Fault]:
    """Find what is missing for some number of players."""
    players, shown = rules.players, rules.display.animals
    if players.fewest > players.most:
        yield Fault("players.fewest", f"found {players.fewest}; allowed: at most players.most = {players.most}")
        return
    if len(rules.coins.offsets) < players.most:
        yield Fault("coins.offsets", f"found {len(rules.coins.offsets)} values; one a seat is needed: {players.most}")
    numbers = range(players.fewest, players.most + 1)
    if len(shown) < len(numbers):
        yield Fault(
            "display.animals",
            f"found {len(shown)} values; one for each number of players from {players.fewest} to {players.most} "
            f"is needed: {len(numbers)}",
        )
    for seats, animals in zip(numbers, shown, strict=False):
        if animals < rules.draft.animals * seats:
            yield Fault(
                "display.animals",
                f"found {animals} for {seats} players; the draft needs draft.animals = {rules.draft.animals} for each: "
                f"{rules.draft.animals * seats} or more",
            )
    bag, drawn = rules.dice.per_colour * len(rules.continents.names), rules.dice.per_player * players.most
    if bag < drawn:
        yield Fault("dice.per_colour", f"the bag holds {bag} dice; {players.most} players draw {drawn}")


def _board_faults(rules: Ruleset) -> Iterator[Fault]:
    """Find spaces that are missing, or lie where no marker comes."""
    spaces = list(rules.board.spaces)
    if spaces != list(range(1, len(spaces) + 1)):
        found = ", ".join(map(str, spaces))
        yield Fault("board.spaces", f"found spaces {found}; they are numbered 1, 2, … without a gap")
    if len(spaces) < rules.dice.per_player:
        yield Fault(
            "board.spaces",
            f"found {len(spaces)} spaces; dice.per_player = {rules.dice.per_player} dice need as many or more",
        )
    length = rules.reputation.length
    for space in rules.reputation.track:
        if space > length:
            yield Fault(f"reputation.track.{space}", f"found space {space}; allowed: 1 to reputation.length = {length}")


def _type_faults(rules: Ruleset) -> Iterator[Fault]:
    """Find names of types that a table uses otherwise, and thresholds that fall."""
    before = 0
    for name, kind in rules.types.items():
        if name in CARD_COLUMNS:
            yield Fault(f"types.{name}", f"found {name!r}; a type cannot be called {', '.join(CARD_COLUMNS)}")
        if kind.publish_from < before:
            yield Fault(
                f"types.{name}.publish_from",
                f"found {kind.publish_from}; it never falls from one type to the next: {before} or more",
            )
        before = kind.publish_from


def _provenance_faults(rules: Ruleset) -> Iterator[Fault]:
    """Find provenance of keys that do not exist, or that says nothing."""
    keys = {prefix for key in leaves(rules) for prefix in prefixes(key)}
    for key, text in rules.provenance.items():
        if key not in keys:
            yield Fault(f"provenance.{key}", f"there is no key {key!r} to explain{suggestion(key, keys)}")
        if not PROVENANCE.fullmatch(text):
            yield Fault(
                f"provenance.{key}", f"found {text!r}; allowed: S, P or A and the rule's number, such as 'A 4.6'"
            )


def prefixes(key: str) -> list[str]:
    """Return a dotted key and every table above it, the longest first.

    Examples
    --------
    >>> prefixes("board.spaces.1")
    ['board.spaces.1', 'board.spaces', 'board']
    """
    parts = key.split(".")
    return [".".join(parts[:size]) for size in range(len(parts), 0, -1)]


def flatten(data: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Return the leaves of nested tables by dotted key.

    Examples
    --------
    >>> flatten({"bank": {"coins": 5}, "rounds": 6})
    {'bank.coins': 5, 'rounds': 6}
    """
    found: dict[str, Any] = {}
    for key, value in data.items():
        found |= flatten(value, f"{above}{key}.") if isinstance(value, dict) else {f"{above}{key}": value}
    return found


def leaves(rules: Ruleset) -> dict[str, Any]:
    """Return every number and name of a ruleset by dotted key, without its own name and provenance.

    Lists are leaves as a whole.
    """
    return flatten(rules.model_dump(mode="json", exclude={"name", "provenance"}))
