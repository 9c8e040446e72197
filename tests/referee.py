"""A referee who has nothing but a game log: re-plays the game and objects to the first event that is not right.

It shares no line with the simulator. The rules are those of the naive twin (`tests.naive`), chance and choices are
taken from the log, and every event is worked out anew from the replayed game and compared with what the log says.
"""

import json
from collections.abc import Callable, Generator, Iterable
from typing import Any

from tests import naive
from tests.naive.game import PASSIVE
from tests.naive.model import AREAS, Animal, Decision, Deck, ExpertCard, Option, Seat

Event = dict[str, Any]
Play = Generator[Decision, Option, None]
BEYOND = "reputation:beyond"
GOODS = ("coins", "expedition_tokens", "reputation", "vp", "seals")


class RejectedError(Exception):
    """The log is not that of a game by the rules; says which event, and why."""


def read_log(lines: str | Iterable[str]) -> list[Event]:
    """Events of a log, one JSON object a line."""
    rows = lines.splitlines() if isinstance(lines, str) else lines
    return [json.loads(row) for row in rows]


def check_log(events: list[Event]) -> list[int]:
    """
    Re-play a game from its log.

    Returns
    -------
    list
        Every seat's total.

    Raises
    ------
    RejectedError
        If an event is missing, out of place, against the rules, or says anything that the replay does not.
    """
    replay = Replay(events)
    try:
        replay.follow()
    except RejectedError as error:
        raise RejectedError(f"event {replay.position}: {error}") from None
    except (LookupError, TypeError, ValueError, AttributeError, AssertionError, StopIteration) as error:
        reason = f"it does not fit the game ({type(error).__name__}: {error})"
        raise RejectedError(f"event {replay.position}: {reason}") from error
    return [parts["total"] for parts in replay.scores()]


def require(condition: bool, objection: str) -> None:
    """Object unless the condition holds."""
    if not condition:
        raise RejectedError(objection)


def exact(value: object) -> str:
    """Text that tells 1 from true and 1.0, and does not depend on the order of keys."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def difference(expected: object, found: object, path: str = "") -> str:
    """First place where two values differ."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in [*expected, *found]:
            if exact(expected.get(key, "nothing")) != exact(found.get(key, "nothing")):
                return difference(expected.get(key, "nothing"), found.get(key, "nothing"), f"{path}.{key}")
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for index, (one, other) in enumerate(zip(expected, found, strict=True)):
            if exact(one) != exact(other):
                return difference(one, other, f"{path}[{index}]")
    return f"{path or 'it'} should be {expected!r}, the log says {found!r}"


class LoggedLuck:
    """What chance decided, read from a log (`tests.naive.luck.Luck`)."""

    def __init__(self, events: list[Event], replay: "Replay") -> None:
        game = events[0]
        changed = game.get("experiment", {})
        self.colours: list[str] = game["dice"]
        self.replay = replay
        self._moved = {"animals": self._animals_moved(events), "experts": self._experts_moved(events)}
        self._used = {"animals": 0, "experts": 0}
        self.animal_order = self._first("animals", game, changed)
        self.expert_order = self._first("experts", game, changed)
        self.token_order = [event["token"] for event in events if event["event"] == "round"]
        tokens = [row["id"] for row in game["cards"]["tokens"]]
        require(set(self.token_order) <= set(tokens), "a round token is not in the set")
        require(len(set(self.token_order)) == len(self.token_order), "a round token comes twice")
        self._rolls = self._rolls_of(events)

    @staticmethod
    def _animals_moved(events: list[Event]) -> list[tuple[str, int]]:
        """Every animal that left its deck, by which end, in order."""
        moved = []
        for event in events:
            if event["event"] == "deal" and event["to"] == "academy":
                moved += [("front", card) for card in event["cards"]]
            elif event["event"] == "effect":
                moved += [("back", card) for card in event.get("animals", [])]
        return moved

    @staticmethod
    def _experts_moved(events: list[Event]) -> list[tuple[str, int]]:
        dealt = [event["cards"] for event in events if event["event"] == "deal" and event["to"] == "university"]
        return [("front", card) for cards in dealt for card in cards]

    def _first(self, deck: str, game: Event, changed: Event) -> list[int]:
        """Order of a deck at the beginning."""
        away = {card for card, _ in changed.get(f"given_{deck}", [])} | set(changed.get(f"banned_{deck}", []))
        return self._order(deck, [row["id"] for row in game["cards"][deck] if row["id"] not in away])

    def _order(self, deck: str, ids: list[int]) -> list[int]:
        """Order of a deck just made of these cards: what the log saw of both ends, the rest between them.

        A deck is remade only when it is empty, so the next cards to move, as many as it has, are its own.
        """
        start = self._used[deck]
        own = self._moved[deck][start : start + len(ids)]
        self._used[deck] += len(ids)
        seen = [card for _, card in own]
        require(len(set(seen)) == len(seen), f"{deck}: one of {seen} leaves its deck twice")
        require(set(seen) <= set(ids), f"{deck}: {sorted(set(seen) - set(ids))} cannot be in the deck")
        front, back = ([card for end, card in own if end == wanted] for wanted in ("front", "back"))
        return [*front, *(card for card in ids if card not in seen), *reversed(back)]

    def _rolls_of(self, events: list[Event]) -> dict[tuple[int, int], list[tuple[int, int]]]:
        rolls: dict[tuple[int, int], list[tuple[int, int]]] = {}
        number, drawn = 0, set()
        for event in events:
            if event["event"] == "round":
                number, drawn = event["round"], set()
            elif event["event"] == "roll":
                dice = [(die["id"], die["value"]) for die in event["dice"]]
                require((number, event["seat"]) not in rolls, f"seat {event['seat']} rolls twice in round {number}")
                for die, _ in dice:
                    require(die in range(len(self.colours)) and die not in drawn, f"die {die} is not in the bag")
                    drawn.add(die)
                rolls[number, event["seat"]] = dice
        return rolls

    def die_colour(self, die: int) -> str:
        return self.colours[die]

    def dice(self, round_number: int, seat: int) -> list[tuple[int, int]]:
        return self._rolls[round_number, seat]

    def reroll(self, round_number: int, seat: int, repetition: int) -> int:
        return self.replay.claim["roll"]

    def remade(self, deck: str, k: int, ids: list[int]) -> list[int]:
        return self._order(deck, ids)


class Replay(naive.Game):
    """The twin, making the choices that a log says and comparing all that follows with it."""

    def __init__(self, events: list[Event]) -> None:
        """Look at the log; nothing is played yet."""
        self.log = events
        self.position = 0  # the event that is looked at
        self.claim: Event = {}  # the log's turn or seal event under way
        self._source = ""  # what is about to fire, where the twin's own call does not say it
        self._implied: Callable[[Seat], str] = lambda _: ""
        self._spent = 0  # seals of a seat in a round

    def follow(self) -> None:
        """Re-play the whole game."""
        events = self.log
        for self.position, event in enumerate(events):
            require("event" in event, "it does not say what event it is")
        self.position = 0
        require(bool(events) and events[0]["event"] == "game", "a log begins with the event `game`")
        players = self._read_game_event(events[0])
        self._given = events[0].get("experiment", {})
        self._begin_block()
        luck = LoggedLuck(events, self)
        cards = {kind: list(rows) for kind, rows in events[0]["cards"].items()}
        for kind in ("animals", "experts"):
            banned = self._given.get(f"banned_{kind}", [])
            cards[kind] = [row for row in cards[kind] if row["id"] not in banned]
        super().__init__(events[0]["ruleset"], cards, players, luck)
        while self.decision is not None:
            self.check()
            option = self._answer(self.decision)
            require(option in self.decision.options, f"{option} is not one of {self.decision}")
            self.choose(option)
        self.check()
        self._expect_state()
        self._expect({"event": "score", "seats": self.scores(), "win_share": self.win_shares()})
        require(self.position == len(events), "nothing comes after the score")

    def _read_game_event(self, game: Event) -> int:
        """Check what can be checked of the first event; return the number of players."""
        rules, players = game["ruleset"], game["players"]
        require(rules["players"]["fewest"] <= players <= rules["players"]["most"], f"{players} players are not allowed")
        require(len(game["strategies"]) == players, "one strategy a seat")
        require(
            sorted(game["dice"]) == sorted(rules["continents"]["names"] * rules["dice"]["per_colour"]),
            "the bag holds equally many dice of every colour",
        )
        self.position = 1
        return players

    # --- the log -----------------------------------------------------------------------------------------------------

    def _next(self, kind: str) -> Event:
        """The event that is due."""
        require(self.position < len(self.log), f"the log ends where a {kind} is due")
        return self.log[self.position]

    def _ahead(self, kind: str, seat: int) -> Event:
        """The next event of a kind and seat, of which the choices are read before it is due."""
        for event in self.log[self.position :]:
            if event["event"] == kind and event["seat"] == seat:
                return event
        raise RejectedError(f"no {kind} of seat {seat} follows")

    def _expect(self, event: Event) -> None:
        """Compare an event of the replay with the one that is due."""
        found = self._next(event["event"])
        if exact(found) != exact(event):
            raise RejectedError(difference(event, found))
        self.position += 1

    def _expect_state(self) -> None:
        self._expect({"event": "state", "round": self.round, **self.snapshot()})

    # --- choices -----------------------------------------------------------------------------------------------------

    def _answer(self, decision: Decision) -> Option:
        """The log's choice."""
        return getattr(self, f"_answer_{decision.kind}")(decision)

    def _answer_draft(self, decision: Decision) -> Option:
        picked = len(self.seats[decision.seat].animals) - self._before_draft[decision.seat]
        return "animal", self._ahead("draft", decision.seat)["animals"][picked]

    def _answer_place(self, decision: Decision) -> Option:
        die = self._rolled[decision.seat][0]
        return "space", self._ahead("place", decision.seat)["spaces"].index(die) + 1

    def _answer_seal(self, decision: Decision) -> Option:
        self.claim = self._next("seal")
        require(self.claim["event"] == "seal", f"a seal of seat {decision.seat} is due")
        if self.claim.get("pass"):
            return ("pass",)
        die, sides = self.claim["die"], self.rules["dice"]["sides"]
        require(self.claim["roll"] in range(1, sides + 1), f"a die has no side {self.claim['roll']}")
        areas = [area for area in AREAS if die in self.board.areas[area]]
        self._from = {"area": areas[0] if areas else "expedition"}
        return "die", die

    def _answer_target(self, _: Decision) -> Option:
        action = self.claim["action"]
        aim = {"university": "expert", "academy": "animal", "expedition": "continent", "publication": "reference"}
        return (action, self.claim[aim[action]]) if action in aim else (action,)

    def _answer_die(self, _: Decision) -> Option:
        return "die", self.claim["die"]

    def _answer_recolour(self, _: Decision) -> Option:
        return "recolour", self.claim["recolour"] is not None

    def _answer_tokens(self, _: Decision) -> Option:
        return "tokens", self.claim["tokens"]

    def _answer_coins(self, _: Decision) -> Option:
        return "coins", self.claim["coins"]

    def _answer_slot(self, _: Decision) -> Option:
        return "slot", self.claim["space"], "under" if self.claim["under"] else "over"

    def _answer_cube(self, _: Decision) -> Option:
        said = self._said_effects[self._fired - 1]["cubes"] if self._in_effect else self.claim["cubes"]
        if len(self._cubes) == len(said):
            return ("stop",)
        animal, number = said[len(self._cubes)]
        self._cubes.append([animal, number])
        return "cube", animal, number

    def _answer_give(self, decision: Decision) -> Option:
        _, animal, number, _ = decision.options[0]
        return "give", animal, number, [animal, number] in self.claim["gave"]

    def _answer_along(self, decision: Decision) -> Option:
        _, animal, _ = decision.options[0]
        comes = animal in self.claim["also"]
        if comes:
            self._also.append(animal)
        return "along", animal, comes

    # --- the frame ---------------------------------------------------------------------------------------------------

    def _setup(self) -> Play:
        self._refill()
        yield from self._give_gifts()
        self._before_draft = [len(seat.animals) for seat in self.seats]
        yield from super()._setup()
        for seat in reversed(self.seats):
            drafted = [animal.card.id for animal in seat.animals[self._before_draft[seat.number] :]]
            if drafted:
                self._expect({"event": "draft", "seat": seat.number, "animals": drafted})
        for seat in self.seats:
            coins, tokens = self.rules["coins"]["offsets"][seat.number], self.rules["start"]["expedition_tokens"]
            self._expect({"event": "start", "seat": seat.number, "coins": coins, "expedition_tokens": tokens})
        self._expect_state()

    def _give_gifts(self) -> Play:
        """Cards of an experiment that seats begin with: as if hired, but on top of space 1 where none is free."""
        for card, seat in self._given.get("given_animals", []):
            self.seats[seat].animals.append(Animal(self.animals[card]))
        hired = []
        for card, seat in self._given.get("given_experts", []):
            piles = self.seats[seat].experts
            next((pile for pile in piles if not pile), piles[0]).append(card)
            if self.experts[card].trigger == "hire":
                hired.append((self.seats[seat], self.experts[card]))
        self._begin_block()
        for seat, card in reversed(hired):  # the last given is the first to happen
            self._source = f"expert:{card.id}"
            yield from self._effect(seat, card.effect, card.amount, card.filter)
        self._end_block()

    def _refill(self) -> None:
        places = {
            "university": (self.board.university, self.expert_deck),
            "academy": (self.board.academy, self.animal_deck),
        }
        before = {to: (len(display), deck.remakes) for to, (display, deck) in places.items()}
        super()._refill()
        for to, (display, deck) in places.items():
            count, remakes = before[to]
            if len(display) > count:
                deal = {"event": "deal", "to": to, "cards": display[count:], "display": list(display)}
                self._expect(deal | self._reshuffled(deck, remakes))

    @staticmethod
    def _reshuffled(deck: Deck, remakes: int) -> Event:
        return {"reshuffled": True} if deck.remakes > remakes else {}

    def _round_token(self, token_id: int) -> Play:
        start = self.turn_order()[0].number
        self._expect({"event": "round", "round": self.round, "start_player": start, "token": token_id})
        self._begin_block()
        self._implied = lambda _: f"token:{token_id}"
        yield from super()._round_token(token_id)

    def _roll_and_place(self) -> Play:
        self._end_block()
        order = self.turn_order()
        for seat in order:
            dice = self.luck.dice(self.round, seat.number)
            require(len(dice) == self.rules["dice"]["per_player"], f"seat {seat.number} rolls {len(dice)} dice")
            named = [{"id": die, "colour": self.luck.die_colour(die), "value": value} for die, value in dice]
            self._expect({"event": "roll", "seat": seat.number, "dice": named})
        yield from super()._roll_and_place()
        for seat in order:
            self._expect({"event": "place", "seat": seat.number, "spaces": list(seat.spaces)})
        self._expect_state()

    def _spend_seals(self, seat: Seat) -> Play:
        self._spent = 0
        yield from super()._spend_seals(seat)
        if self._spent < self.rules["seals"]["per_round"]:
            self._expect({"event": "seal", "seat": seat.number, "pass": True})
            self._expect_state()

    # --- an action ---------------------------------------------------------------------------------------------------

    def turn(self, actor: Seat) -> Play:
        by_seal = self.hand is not None
        self._spent += by_seal
        kind = "seal" if by_seal else "turn"
        self.claim = self._next(kind)
        due = (self.claim["event"], self.claim.get("seat")) == (kind, actor.number)
        require(due, f"a {kind} of seat {actor.number} is due")
        working = self.working(actor)
        lying = {die: (seat.number, space) for seat in self.seats for space, die in enumerate(seat.spaces, 1)}
        rolled = self.hand
        self._recolour, self._paid_coins, self._paid_tokens = None, 0, 0
        self._gave: list[list[int]] = []
        self._also: list[int] = []
        self._begin_block(after=1)
        self._implied = self._space_or_hire(actor)
        yield from super().turn(actor)
        die = rolled if by_seal else self._taken(lying)
        if not by_seal:
            owner, space = lying[die]
            self._from = {"seat": owner, "space": space}
        turn: Event = {"event": kind, "seat": actor.number, "die": die, "from": self._from}
        if by_seal:
            turn["roll"] = self.die_value[die]
        self._expect(turn | self._use(actor, working, die) | self._done(actor, die))
        self._end_block()
        self._expect_state()

    def _taken(self, lying: dict[int | None, tuple[int, int]]) -> int:
        """The die that is no longer where it lay."""
        left = {die for seat in self.seats for die in seat.spaces}
        (die,) = (die for die in lying if die is not None and die not in left)
        return die

    def _space_or_hire(self, actor: Seat) -> Callable[[Seat], str]:
        """What fires when the twin's turn calls an effect: the die's space for its owner, or the hired expert."""
        origin = self.claim.get("from", {}).get("space")
        return lambda seat: f"expert:{self.claim['expert']}" if seat is actor else f"stolen:{origin}"

    def _use(self, actor: Seat, working: list[ExpertCard], die: int) -> Event:
        """How the die was used (4.3–4.5)."""
        target = self._answer_target(None)
        boost = self.rules["boost"]
        value = self._value(working, target, die)
        return {
            "action": target[0],
            "colour": self._continent(target) if self._recolour else self.luck.die_colour(die),
            "recolour": self._recolour,
            "coins": self._paid_coins,
            "tokens": self._paid_tokens,
            "value": value + self._paid_coins * boost["per_coin"] + self._paid_tokens * boost["per_token"],
        }

    def _done(self, actor: Seat, die: int) -> Event:
        """What the action did."""
        action = self.claim["action"]
        if action == "university":
            card = self.claim["expert"]
            space = next(k for k, pile in enumerate(actor.experts, 1) if card in pile)
            pile = actor.experts[space - 1]
            return {"expert": card, "space": space, "under": pile[-1] != card}
        if action == "academy":
            return {"animal": self.claim["animal"]}
        if action == "expedition":
            continent = self.claim["continent"]
            space = self.board.expedition[continent].index(die) + 1
            return {"continent": continent, "space": space, "cubes": self._own_cubes}
        if action == "publication":
            return {"reference": self.claim["reference"], "gave": self._gave, "also": self._also}
        return {}

    def _choose_coins(self, actor: Seat, coins: list[int]) -> Generator[Decision, Option, int]:
        if self.claim["action"] == "expedition":
            self._paid_tokens = self._tokens_before - actor.expedition_tokens
        before = actor.coins
        bonus = yield from super()._choose_coins(actor, coins)
        self._paid_coins = before - actor.coins
        return bonus

    def _pay_recolour(self, actor: Seat, working: list[ExpertCard], target: Option, die: int) -> None:
        if self.luck.die_colour(die) != self._continent(target):
            self._recolour = "free" if self._free_recolour(working, target) else "paid"
        super()._pay_recolour(actor, working, target, die)

    def _expedition(self, actor: Seat, working: list[ExpertCard], continent: str, space: int, value: int) -> Play:
        self._tokens_before = actor.expedition_tokens
        yield from super()._expedition(actor, working, continent, space, value)
        self._own_cubes = self._cubes

    def _research(self, seat: Seat, points: int, costs: list[int], continent: str) -> Play:
        self._cubes: list[list[int]] = []
        yield from super()._research(seat, points, costs, continent)

    def _give_cube(self, seat: Seat, animal: Animal, t: int) -> None:
        self._gave.append([animal.card.id, t])
        super()._give_cube(seat, animal, t)

    # --- effects -----------------------------------------------------------------------------------------------------

    def _begin_block(self, after: int = 0) -> None:
        """What follows are effects; the log's own begin `after` events from here."""
        self._effects: list[Event] = []
        self._beyond: dict[int, int] = {}  # VP beyond the track, by seat, not yet an event
        self._in_effect = False
        self._fired = 0  # how many of the log's effects have fired, those beyond the track left out
        self._said_effects: list[Event] = []
        for event in self.log[self.position + after :]:
            if event["event"] != "effect":
                break
            if event["source"] != BEYOND:
                self._said_effects.append(event)

    def _end_block(self) -> None:
        """Compare the effects that fired with those of the log."""
        for effect in self._effects:
            self._expect(effect)
        self._begin_block()

    def _effect(self, seat: Seat, effect: str, amount: int, filter_: str = "") -> Play:
        source, self._source = self._source or self._implied(seat), ""
        if effect == "none":
            return
        own: Event = {"event": "effect", "seat": seat.number, "source": source}
        self._effects.append(own)
        self._fired += 1
        outer, self._in_effect = self._in_effect, True
        vp, coins, hand, remakes = seat.vp, seat.coins, len(seat.animals), self.animal_deck.remakes
        if effect in GOODS:
            own[effect] = amount
        yield from super()._effect(seat, effect, amount, filter_)
        if effect == "animals":
            own["animals"] = [animal.card.id for animal in seat.animals[hand:]]
            own |= self._reshuffled(self.animal_deck, remakes)
        elif effect == "research":
            own["cubes"] = self._cubes
        elif effect == "lose_coins" and coins >= amount:
            own["coins"] = -amount
        elif effect not in GOODS:
            own["vp"] = seat.vp - vp
        self._in_effect = outer

    def _fire(self, seat: Seat, working: list[ExpertCard], trigger: str, continent: str | None = None) -> Play:
        for card in working:
            if card.works_for(trigger, continent) and card.effect not in PASSIVE:
                self._source = f"expert:{card.id}"
                yield from self._effect(seat, card.effect, card.amount, card.filter)

    def _move_marker(self, seat: Seat, points: int) -> None:
        beyond, vp = seat.reputation + points > self.rules["reputation"]["length"], seat.vp
        super()._move_marker(seat, points)
        if beyond:
            self._beyond[seat.number] = self._beyond.get(seat.number, 0) + seat.vp - vp

    def _pay_track(self, seat: Seat) -> Play:
        while seat.track_paid < seat.reputation:
            seat.track_paid += 1
            bonus = self.track.get(seat.track_paid)
            if bonus is not None:
                self._source = f"reputation:{seat.track_paid}"
                yield from self._effect(seat, bonus["effect"], bonus["amount"])
        if seat.number in self._beyond:  # one event an action, with all its VP, where its last points fell
            own = {"event": "effect", "seat": seat.number, "source": BEYOND, "vp": self._beyond.pop(seat.number)}
            for effect in [e for e in self._effects if e["source"] == BEYOND and e["seat"] == seat.number]:
                self._effects.remove(effect)
                own["vp"] += effect["vp"]
            self._effects.append(own)
