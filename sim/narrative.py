"""A game log as text: what a person at a table needs to lay out the cards and follow the game, move by move.

Everything comes from the events of `sim.gamelog` alone, so that any log can be told, wherever it was written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

Event = Mapping[str, Any]

TITLE, ROUND, PART, LINE, DETAIL, TABLE = "title", "round", "part", "line", "detail", "table"
LEVELS: Final = (TITLE, ROUND, PART, LINE, DETAIL, TABLE)
_INDENT: Final = {TITLE: "", ROUND: "", PART: "", LINE: "  ", DETAIL: "      ", TABLE: "  "}
_GOODS: Final = {
    "coins": ("coin", "coins"),
    "expedition_tokens": ("token", "tokens"),
    "reputation": ("reputation", "reputation"),
    "vp": ("VP", "VP"),
    "seals": ("seal", "seals"),
}
_TRIGGERS: Final = {
    "hire": "when hired",
    "stolen": "when another player takes a die of yours",
    "round_start": "every round",
    "game_end": "at the end",
}
_MEASURES: Final = {"vp": "VP", "animals": "unpublished animals", "coins": "coins"}
_SCORE_PARTS: Final = {
    "vp": "VP",
    "category_bonus": "categories",
    "continent_bonus": "continents",
    "seals": "seals",
    "coins": "coins",
    "expedition_tokens": "tokens",
    "experts": "experts",
    "total": "total",
}


class Line(NamedTuple):
    """A line of text and what kind it is, one of `LEVELS`."""

    level: str
    text: str


def narrate(events: Iterable[Event]) -> Iterator[Line]:
    """Tell a game, line by line.

    Parameters
    ----------
    events
        A whole game log: what `sim.gamelog.play_logged` returns, or its lines read back as JSON.

    Yields
    ------
    Line
        A level (`LEVELS`) and plain text without markup; rows of a table are aligned by spaces.

    Examples
    --------
    >>> from sim.config import load_configuration
    >>> from sim.gamelog import LoggedGame
    >>> game = LoggedGame(load_configuration(), players=2, seed=1, luck=0, strategies=["ann", "bob"])
    >>> while not game.over:
    ...     game.choose(0)
    >>> lines = list(narrate(game.events))
    >>> lines[0]
    Line(level='title', text='Game 0 of seed 1: 2 players, ruleset standard')
    """
    remaining = iter(events)
    teller = _Teller(next(remaining))
    yield from teller.opening()
    for event, effects in _with_effects(remaining):
        yield from teller.tell(event, effects)


def to_text(lines: Iterable[Line]) -> str:
    """Lay lines out as plain text: indented by level, a blank line before rounds, parts and tables.

    Examples
    --------
    >>> print(to_text([Line("round", "Round 1"), Line("part", "Turns"), Line("line", "seat 0 → bank")]))
    Round 1
    <BLANKLINE>
    Turns
      seat 0 → bank
    <BLANKLINE>
    """
    rows: list[str] = []
    for level, text in lines:
        if rows and level in (ROUND, PART):
            rows.append("")
        rows.append(_INDENT[level] + text)
    return "".join(f"{row}\n" for row in rows)


def _with_effects(events: Iterable[Event]) -> Iterator[tuple[Event, list[Event]]]:
    """Put every event together with the effects that follow it."""
    head: Event | None = None
    effects: list[Event] = []
    for event in events:
        if event["event"] == "effect":
            effects.append(event)
            continue
        if head is not None:
            yield head, effects
        head, effects = event, []
    if head is not None:
        yield head, effects


# --- words ----------------------------------------------------------------------------------------------------------


def _listed(words: Sequence[str]) -> str:
    """Words with commas and an "and"."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _amount(effect: str, amount: int, *, signed: bool = False) -> str:
    """So many of a good, such as "2 coins" or "+1 token"."""
    number = f"{amount:+d}" if signed else str(amount)
    return f"{number.replace('-', '−')} {_GOODS[effect][abs(amount) != 1]}"


def _by_steps(steps: Sequence[int], value: int) -> int:
    """Entry of a list by value from 1; the last holds for every higher value."""
    return steps[min(value, len(steps)) - 1] if value >= 1 else 0


def _aligned(rows: Sequence[Sequence[str]], *, left: int = 1) -> Iterator[Line]:
    """Rows of a table; the first columns to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if number < left else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield Line(TABLE, "  ".join(cells).rstrip())


class _Words:
    """Names of cards, and what they do in words."""

    def __init__(self, game: Event) -> None:
        self.rules: Final = game["ruleset"]
        self.types: Final = list(self.rules["types"])
        self.animals: Final = {row["id"]: row for row in game["cards"]["animals"]}
        self.experts: Final = {row["id"]: row for row in game["cards"]["experts"]}
        self.tokens: Final = {row["id"]: row for row in game["cards"]["tokens"]}

    def animal(self, card: int) -> str:
        """Name of an animal."""
        name: str = self.animals[card]["name"]
        return name

    def expert(self, card: int) -> str:
        """Name of an expert."""
        name: str = self.experts[card]["name"]
        return name

    def category(self, card: int, number: int) -> str:
        """Category of an animal in a type, such as "diet carnivore"."""
        name = self.types[number - 1]
        return f"{name} {self.animals[card][name]}"

    def animal_card(self, card: int) -> list[str]:
        """Say what stands on an animal card, cell by cell."""
        row = self.animals[card]
        return [row["name"], row["continent"], *(row[name] for name in self.types)]

    def expert_card(self, card: int) -> list[str]:
        """Say what stands on an expert card, cell by cell."""
        row = self.experts[card]
        trigger = _TRIGGERS.get(row["trigger"], row["trigger"])
        if row["trigger_continent"]:
            trigger += f" ({row['trigger_continent']})"
        return [row["name"], row["continent"], f"{trigger}: {self.effect(row)}"]

    def token(self, token: int) -> str:
        """Say what stands on a round token."""
        row = self.tokens[token]
        scope = row["scope"] or "everyone"
        if scope == "everyone":
            whom = "everyone"
        else:
            extreme, measure = scope.split(":")
            whom = f"whoever has the {extreme} {_MEASURES[measure]}"
        return f"{row['name']} – {self.effect(row)} for {whom}"

    def effect(self, row: Mapping[str, Any]) -> str:
        """Say an effect of a card, token or space in words."""
        effect, amount, only = row["effect"], row["amount"], row.get("effect_filter") or ""
        if effect in _GOODS:
            return _amount(effect, amount)
        _, _, category = only.partition(":")
        return {
            "none": "nothing",
            "animals": f"{amount} animal{'s' if amount != 1 else ''} from the deck",
            "research": f"{amount} research point{'s' if amount != 1 else ''}" + (f" for {only}" if only else ""),
            "value": f"value +{amount}",
            "recolour": "recolours free of charge",
            "discount": f"{only or 'every'} cube costs {amount} less",
            "vp_per_published": f"{amount} VP per published animal" + (f" ({category or only})" if only else ""),
            "vp_per_category": f"{amount} VP per category space with own cubes",
            "vp_per_expert": f"{amount} VP per expert",
            "vp_per_seal": f"{amount} VP per seal",
            "vp_per_coins": f"{amount} VP for every {only or 1} coins",
            "vp_per_animal": f"{amount} VP per unpublished animal",
            "lose_coins": f"lose {amount} coins, or {amount} VP if they are too few,",
        }.get(effect, f"{effect} {amount}")

    def source(self, source: str) -> str:
        """Say what fired."""
        kind, _, which = source.partition(":")
        if kind == "expert":
            return self.expert(int(which))
        if kind == "token":
            return str(self.tokens[int(which)]["name"])
        if kind == "stolen":
            return f"space {which}"
        return "beyond the reputation track" if which == "beyond" else f"reputation space {which}"

    def gained(self, effect: Event) -> str:
        """Say what an effect gave and what was chosen."""
        parts = [_amount(good, effect[good], signed=True) for good in _GOODS if good in effect]
        if "animals" in effect:
            names = [self.animal(card) for card in effect["animals"]]
            parts.append(f"draws {_listed(names)}" if names else "finds no animal to draw")
            if effect.get("reshuffled"):
                parts.append("the deck is made anew from its discards")
        if "cubes" in effect:
            parts.append(self.research(effect["cubes"]))
        return ", ".join(parts)

    def research(self, cubes: Sequence[tuple[int, int]]) -> str:
        """Say which cubes were put where."""
        by_animal: defaultdict[int, list[str]] = defaultdict(list)
        for card, number in cubes:
            by_animal[card].append(self.types[number - 1])
        named = [f"{self.animal(card)} {', '.join(types)}" for card, types in by_animal.items()]
        return f"researches {'; '.join(named)}" if named else "researches nothing"


# --- telling --------------------------------------------------------------------------------------------------------


class _Teller:
    """Tells one event after the other; remembers what the next one speaks of."""

    def __init__(self, game: Event) -> None:
        self._game = game
        self._words = _Words(game)
        self._rules = game["ruleset"]
        self._values: dict[int, int] = {}  # of the dice rolled this round
        self._states: list[Event] = []  # the last two
        self._round = 0
        self._part = ""
        self._boards: list[Event] = []  # dice placed, seat by seat

    def opening(self) -> Iterator[Line]:
        """Say what is played, and who sits where."""
        game = self._game
        yield Line(
            TITLE,
            f"Game {game['game']} of seed {game['seed']}: {game['players']} players, ruleset {self._rules['name']}",
        )
        for seat in range(game["players"]):
            yield Line(LINE, self._who(seat))
        if "experiment" in game:
            yield Line(LINE, "An experiment: some cards are left out, or given to seats at the start.")

    def tell(self, event: Event, effects: Sequence[Event]) -> Iterator[Line]:
        """Tell an event and the effects that follow it."""
        kind = event["event"]
        if kind == "deal":
            yield from self._deal(event)
        elif kind in ("draft", "start"):
            yield from self._begin_part("Draft" if kind == "draft" else "Start")
            yield Line(LINE, self._setup_line(event))
        elif kind == "round":
            yield from self._token(event, effects)
        elif kind == "roll":
            self._values |= {die["id"]: die["value"] for die in event["dice"]}
        elif kind == "place":
            self._boards.append(event)
        elif kind in ("turn", "seal"):
            yield from self._begin_part("Turns" if kind == "turn" else "Royal seals")
            yield from self._action(event, effects)
        elif kind == "state":
            yield from self._place_dice()
            self._states = [*self._states[-1:], event]
        elif kind == "score":
            yield from self._score(event)
        if kind not in ("round", "turn", "seal"):
            yield from self._effects(effects)

    def _begin_part(self, name: str) -> Iterator[Line]:
        if name != self._part:
            self._part = name
            yield Line(PART, name)

    def _who(self, seat: int) -> str:
        return f"seat {seat} {self._game['strategies'][seat]}"

    def _die(self, die: int) -> str:
        return f"{self._game['dice'][die]} {self._values[die]}"

    def _effects(self, effects: Iterable[Event], level: str = LINE) -> Iterator[Line]:
        for effect in effects:
            yield Line(level, f"{self._who(effect['seat'])}, {self._from_source(effect)}")

    def _from_source(self, effect: Event) -> str:
        return f"{self._words.source(effect['source'])}: {self._words.gained(effect)}"

    # the frame

    def _deal(self, event: Event) -> Iterator[Line]:
        if self._states:
            yield from self._begin_round(self._states[-1]["round"] + 1)
        yield from self._begin_part("Refill" if self._states else "Set-up")
        remade = ", its deck made anew from the discards" if event.get("reshuffled") else ""
        yield Line(LINE, f"{event['to'].capitalize()}{remade}")
        card = self._words.animal_card if event["to"] == "academy" else self._words.expert_card
        rows = [card(number) for number in event["cards"]]
        for line in _aligned(rows, left=len(rows[0])):
            yield Line(DETAIL, line.text)

    def _setup_line(self, event: Event) -> str:
        if event["event"] == "draft":
            return (
                f"{self._who(event['seat'])} takes {_listed([self._words.animal(card) for card in event['animals']])}"
            )
        goods = [_amount(good, event[good]) for good in ("coins", "expedition_tokens")]
        return f"{self._who(event['seat'])} gets {_listed(goods)}"

    def _begin_round(self, number: int) -> Iterator[Line]:
        """Begin a round's text, once, with how the round before it ended."""
        if number == self._round:
            return
        if self._round > 0:
            yield from self._standings(self._states[-1])
        self._round, self._part = number, ""
        yield Line(ROUND, f"Round {number} of {self._rules['rounds']}")

    def _token(self, event: Event, effects: Sequence[Event]) -> Iterator[Line]:
        yield from self._begin_round(event["round"])
        yield from self._begin_part("Round token")
        yield Line(LINE, self._words.token(event["token"]))
        yield Line(LINE, f"{self._who(event['start_player'])} is the start player")
        for effect in effects:
            of_token = effect["source"] == f"token:{event['token']}"
            said = self._words.gained(effect) if of_token else self._from_source(effect)
            yield Line(DETAIL, f"{self._who(effect['seat'])}: {said}")

    def _place_dice(self) -> Iterator[Line]:
        """Show the boards once all dice are placed."""
        if not self._boards:
            return
        yield from self._begin_part("Dice")
        spaces = self._rules["board"]["spaces"]
        head = ["", *(f"{number} ({self._words.effect(space)})" for number, space in spaces.items())]
        rows = [
            [self._who(board["seat"]), *("–" if die is None else self._die(die) for die in board["spaces"])]
            for board in self._boards
        ]
        yield from _aligned([head, *rows], left=len(head))
        self._boards = []

    def _standings(self, state: Event) -> Iterator[Line]:
        """Show what everybody has at the end of a round."""
        yield from self._begin_part(f"After round {state['round']}")
        rows = [["", "VP", "reputation", "coins", "tokens", "seals", "animals", "cubes", "published", "experts"]]
        for number, seat in enumerate(state["seats"]):
            goods = [seat[good] for good in ("vp", "reputation", "coins", "expedition_tokens", "seals")]
            cubes = sum(len(animal["cubes"]) for animal in seat["animals"])
            experts = sum(len(pile) for pile in seat["experts"])
            counts = [*goods, len(seat["animals"]), cubes, len(seat["published"]), experts]
            rows.append([self._who(number), *map(str, counts)])
        yield from _aligned(rows)

    def _score(self, event: Event) -> Iterator[Line]:
        yield from self._standings(self._states[0])
        yield Line(ROUND, "Final score")
        rows = [["", *_SCORE_PARTS.values(), "win share"]]
        for number, (parts, share) in enumerate(zip(event["seats"], event["win_share"], strict=True)):
            rows.append([self._who(number), *(str(parts[part]) for part in _SCORE_PARTS), f"{share:.2f}"])
        yield from _aligned(rows)
        winners = [self._who(number) for number, share in enumerate(event["win_share"]) if share > 0]
        yield Line(LINE, f"{winners[0]} wins" if len(winners) == 1 else f"{_listed(winners)} share the win")

    # an action

    def _action(self, event: Event, effects: Sequence[Event]) -> Iterator[Line]:
        who = self._who(event["seat"])
        if event.get("pass"):
            yield Line(LINE, f"{who} passes")
            return
        die = event["die"]
        if "roll" in event:
            colour = self._game["dice"][die]
            self._values[die] = event["roll"]
            taking = f"{who} spends a seal on the {colour} die {self._place_of(event)} and rolls {event['roll']}"
        else:
            taking = f"{who} takes {self._die(die)} from {self._place_of(event)}"
        owner = event["from"].get("seat")
        owners = [effect for effect in effects if effect["seat"] == owner != event["seat"]]
        if owners:
            taking += f" ({self._who(owner)}: {'; '.join(self._owner_gains(effect) for effect in owners)})"
        doing, details = getattr(self, f"_{event['action']}")(event)
        yield Line(LINE, f"{taking} → {doing}")
        for text in details:
            yield Line(DETAIL, text)
        for effect in effects:
            if effect not in owners:
                yield Line(DETAIL, self._from_source(effect))

    def _place_of(self, event: Event) -> str:
        """Say where the die came from."""
        place = event["from"]
        if "seat" in place:
            board = "own" if place["seat"] == event["seat"] else f"seat {place['seat']}'s"
            return f"{board} space {place['space']}"
        if place["area"] != "expedition":
            return f"in the {place['area']}"
        expeditions = self._states[-1]["board"]["expedition"]
        name, row = next((name, row) for name, row in expeditions.items() if event["die"] in row)
        return f"on space {row.index(event['die']) + 1} of the expedition to {name}"

    def _owner_gains(self, effect: Event) -> str:
        gained = self._words.gained(effect)
        return gained if effect["source"].startswith("stolen:") else f"{self._words.source(effect['source'])} {gained}"

    def _means(self, event: Event) -> str:
        """Say what was paid and what the die became."""
        parts = []
        if event["recolour"] is not None:
            price = _amount("expedition_tokens", self._rules["recolour"]["expedition_tokens"])
            cost = f"for {price}" if event["recolour"] == "paid" else "free of charge"
            parts.append(f"recolours to {event['colour']} {cost}")
        paid = [
            _amount(good, count)
            for good, count in (("coins", event["coins"]), ("expedition_tokens", event["tokens"]))
            if count
        ]
        if paid:
            parts.append(f"pays {_listed(paid)}")
        if event["value"] != self._values[event["die"]]:
            parts.append(f"value {event['value']}")
        return f" ({', '.join(parts)})" if parts else ""

    def _gain(self, good: str, amount: int, before: str = ": ") -> str:
        return f"{before}{_amount(good, amount, signed=True)}" if amount else ""

    def _embassy(self, event: Event) -> tuple[str, list[str]]:
        tokens = _by_steps(self._rules["embassy"]["expedition_tokens"], event["value"])
        return f"embassy{self._means(event)}{self._gain('expedition_tokens', tokens)}", []

    def _bank(self, event: Event) -> tuple[str, list[str]]:
        return f"bank{self._means(event)}{self._gain('coins', self._rules['bank']['coins'])}", []

    def _university(self, event: Event) -> tuple[str, list[str]]:
        card, space = event["expert"], event["space"]
        pile = self._states[-1]["seats"][event["seat"]]["experts"][space - 1]
        place = f"on space {space}"
        if pile:
            covered = self._words.expert(pile[0 if event["under"] else -1])
            place += f" {'under' if event['under'] else 'on top of'} {covered}"
        match = event["colour"] == self._words.experts[card]["continent"]
        bonus = self._rules["university"]["match_reputation"] if match else 0
        text = f"university{self._means(event)}: hires {self._words.expert(card)} {place}"
        return text + self._gain("reputation", bonus, ", "), []

    def _academy(self, event: Event) -> tuple[str, list[str]]:
        reputation = _by_steps(self._rules["academy"]["reputation"], event["value"])
        text = f"academy{self._means(event)}: takes {self._words.animal(event['animal'])}"
        return text + self._gain("reputation", reputation, ", "), []

    def _expedition(self, event: Event) -> tuple[str, list[str]]:
        reputation = self._rules["expedition"]["reputation"][event["space"] - 1]
        text = f"expedition to {event['continent']}, space {event['space']}{self._means(event)}"
        return f"{text}{self._gain('reputation', reputation)}; {self._words.research(event['cubes'])}", []

    def _publication(self, event: Event) -> tuple[str, list[str]]:
        rules, words = self._rules["publication"], self._words
        by_type: defaultdict[int, list[int]] = defaultdict(list)
        for card, number in event["gave"]:
            by_type[number].append(card)
        details, total = [], 0
        for number, cards in by_type.items():
            vp = len(cards) * self._rules["types"][words.types[number - 1]]["vp"]
            total += vp
            names = _listed([words.animal(card) for card in cards])
            details.append(f"{words.category(cards[0], number)}: {names}{self._gain('vp', vp, ', ')}")
        published = list(dict.fromkeys([event["reference"], *(card for card, _ in event["gave"]), *event["also"]]))
        total += len(published) * rules["animal_vp"]
        names = _listed([words.animal(card) for card in published])
        details.append(f"published: {names}{self._gain('vp', len(published) * rules['animal_vp'], ', ')}")
        text = f"publication{self._means(event)}: {words.animal(event['reference'])}"
        return f"{text}{self._gain('vp', total, ', ')}{self._gain('seals', rules['seals'], ', ')}", details
