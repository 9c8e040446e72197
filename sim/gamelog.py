"""One game as events: a log from which an independent referee can re-play it and check every decision.

The engine notes in raw rows what happens (``LOG_`` in `sim.layout`); here they become events that name cards by id,
seats from 0, spaces and types from 1. Between any two things that happen the state can be looked at, so the `state`
events are the engine's own.

Where the format leaves a choice, the log says:

- spaces of player boards, expert spaces, expedition spaces and types count from 1;
- a refill that deals nothing is no event; one in which a deck is remade is a single `deal`, its cards from the old deck
  first; an effect `none` is no event;
- an effect gives what its card says, reputation beyond the track included; free research gives its ``"cubes"``, drawing
  its ``"animals"``, coins or VP that a token takes are negative;
- `reputation:beyond` comes once at most for a seat in a turn, a seal or a round's beginning, where its last fell;
- a seal that is passed ends the seat's seals of the round;
- dice in an area lie in the order in which they came, published animals in that of the hand they left;
- cards that an experiment bans or gives stand in ``"experiment"`` of the first event, which other games do not have;
  what hiring a given expert sets off comes before the draft.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sim import layout as lay
from sim.batch import Player, StrategyError
from sim.cardset import Card
from sim.config import Configuration
from sim.engine import BEGIN, GO_ON, NEXT, ask, open_strategy_streams, step_once
from sim.game import Game, make_log_room
from sim.snapshot import Table
from sim.tables import NO_EXPERIMENT, Experiment
from sim.vocabulary import ACTIONS, EFFECTS

Event = dict[str, Any]
OnDecision = Callable[[Game, int, list[tuple[object, ...]], int], None]
"""Called at every decision, before it is applied: game, seat, options in words, index of the chosen one."""

_RECOLOURED: Final = {lay.RECOLOUR_NO: None, lay.RECOLOUR_PAID: "paid", lay.RECOLOUR_FREE: "free"}
_UNDER: Final = 2
BEYOND: Final = "reputation:beyond"


# --- playing --------------------------------------------------------------------------------------------------------


def play_logged(
    configuration: Configuration,
    players: Sequence[Player],
    seating: Sequence[int] | NDArray[np.int32],
    *,
    seed: int,
    luck: int,
    game_number: int,
    experiment: Experiment = NO_EXPERIMENT,
    on_decision: OnDecision | None = None,
) -> list[Event]:
    """Play one game with compiled strategies and return its log.

    The choices are those of `sim.batch.Batch` for the same seed, luck and seating.

    Parameters
    ----------
    configuration
        Ruleset and card set.
    players
        Everybody who may sit down, as in the batch whose game this is.
    seating : int[seats]
        Index of the player in each seat.
    seed, luck
        What chance is a function of (rule 11.2).
    game_number
        What the log calls the game.
    experiment
        Cards banned or given at the start.
    on_decision
        Called at every decision with more than one option, before the choice is applied.

    Returns
    -------
    list
        The events, each a dict of plain data.

    Raises
    ------
    StrategyError
        If a strategy raises, or returns an index that is not one of the legal actions.

    Examples
    --------
    >>> from numba import njit
    >>> from sim.batch import Player
    >>> from sim.chance import draw
    >>> from sim.config import load_configuration
    >>> from sim.calls import address_of, compile_strategy
    >>> @njit
    ... def blind(state, tables, actions, count, random, weights):
    ...     return draw(random, count)
    >>> code = compile_strategy(blind)
    >>> blind_player = Player("blind", address_of(code), np.zeros(1), code)
    >>> events = play_logged(load_configuration(), [blind_player], [0, 0], seed=1, luck=0, game_number=0)
    >>> events[0]["event"], events[-1]["event"], events[0]["strategies"]
    ('game', 'score', ['blind', 'blind'])
    """
    names = [players[index].name for index in seating]
    game = LoggedGame(configuration, len(names), seed, luck, experiment, strategies=names, game_number=game_number)
    with np.errstate(over="ignore"):
        open_strategy_streams(game.arena.randoms, seed, luck)
    while not game.over:
        seat = game.seat
        index = _choice(game, players[seating[seat]])
        if on_decision is not None:
            on_decision(game, seat, game.options(), index)
        game.choose(index)
    return game.events


def _choice(game: LoggedGame, player: Player) -> int:
    """Ask a strategy for its choice, and check that it is one."""
    seat, arena = game.seat, game.arena
    place = f"strategy {player.name!r} in seat {seat} of game {game.number}, asked for a {game.kind!r}"
    try:
        with np.errstate(over="ignore"):
            index = int(
                ask(
                    player.address, arena.state, game.tables, arena.actions, game.count, arena.randoms[seat],
                    player.weights,
                )
            )  # fmt: skip
    except Exception as error:
        raise StrategyError(f"{place}: raised {type(error).__name__}: {error}") from error
    if not 0 <= index < game.count:
        raise StrategyError(f"{place}: returned {index}, which is not one of the {game.count} legal actions")
    return index


class LoggedGame(Game):
    """A game, step by step, that keeps its log.

    Attributes
    ----------
    events : list
        What has happened so far; an action under way is added when it is over.
    number : int
        What the log calls the game.

    Parameters
    ----------
    configuration, players, seed, luck, experiment
        As in `sim.game.Game`.
    strategies
        Names of who sits in each seat.
    game_number
        What the log calls the game.

    Examples
    --------
    >>> from sim.config import load_configuration
    >>> game = LoggedGame(load_configuration(), players=2, seed=1, luck=0)
    >>> while not game.over:
    ...     game.choose(0)
    >>> [seat["total"] for seat in game.events[-1]["seats"]] == game.totals()
    True
    """

    def __init__(
        self,
        configuration: Configuration,
        players: int,
        seed: int,
        luck: int,
        experiment: Experiment = NO_EXPERIMENT,
        *,
        strategies: Sequence[str] = (),
        game_number: int = 0,
    ) -> None:
        self.number: Final = game_number
        names = list(strategies) or ["?"] * players
        self.events: Final[list[Event]] = [_game_event(configuration, names, seed, game_number, experiment)]
        super().__init__(configuration, players, seed, luck, experiment)

    def _step(self, action: int, seed: int = 0, luck: int = 0) -> None:
        """Go on to the next decision, one thing at a time, and write down each."""
        make_log_room(self.arena, self.tables)
        self._step_once(action, seed, luck)
        if action == BEGIN:
            self._scribe = _Scribe(self, Table(self))
        while self.count == GO_ON:
            self._write_down()
            self._step_once(NEXT)

    def _step_once(self, action: int, seed: int = 0, luck: int = 0) -> None:
        arena = self.arena
        with np.errstate(over="ignore"):
            self.count = int(
                step_once(arena.state, self.tables, arena.chance, arena.record, arena.actions, action, seed, luck)
            )

    def _write_down(self) -> None:
        rows = self.log_rows().tolist()
        # Begin anew, so that the room for rows does not grow with the game.
        self.arena.record[lay.REC_LOG_COUNT] = 0
        self._scribe.read(rows)


def to_json_lines(events: Iterable[Event]) -> str:
    r"""Write events as JSON, one object a line.

    Examples
    --------
    >>> to_json_lines([{"event": "draft", "seat": 3, "animals": [7, 12]}])
    '{"event":"draft","seat":3,"animals":[7,12]}\n'
    """
    return "".join(json.dumps(event, ensure_ascii=False, separators=(",", ":")) + "\n" for event in events)


# --- the first event ------------------------------------------------------------------------------------------------


def _game_event(
    configuration: Configuration, strategies: Sequence[str], seed: int, game_number: int, experiment: Experiment
) -> Event:
    """Everything the game is played with, so that the log needs no other file."""
    rules = configuration.ruleset
    event: Event = {
        "event": "game",
        "players": len(strategies),
        "seed": seed,
        "game": game_number,
        "strategies": list(strategies),
        "ruleset": rules.model_dump(mode="json"),
        "cards": _cards(configuration),
        "dice": [name for name in rules.continents.names for _ in range(rules.dice.per_colour)],
    }
    changes: dict[str, Any] = {
        "banned_animals": list(experiment.banned_animals),
        "banned_experts": list(experiment.banned_experts),
        "given_animals": _given(configuration.cards.animals, experiment.given_animals),
        "given_experts": _given(configuration.cards.experts, experiment.given_experts),
    }
    if any(changes.values()):
        event["experiment"] = changes
    return event


def _given(cards: Iterable[Card], given: Mapping[int, int]) -> list[list[int]]:
    """Pairs of card and seat, in the order of the file, in which they are handed out."""
    return [[card.id, given[card.id]] for card in cards if card.id in given]


def _cards(configuration: Configuration) -> dict[str, list[dict[str, Any]]]:
    """Rows of the card files under their own columns; an empty cell is an empty text."""
    types, cards = configuration.ruleset.types, configuration.cards
    return {
        "animals": [
            card.model_dump(exclude={"categories"}) | dict(zip(types, card.categories, strict=True))
            for card in cards.animals
        ],
        "experts": [
            {key: "" if cell is None else cell for key, cell in card.model_dump().items()} for card in cards.experts
        ],
        "tokens": [card.model_dump() for card in cards.tokens],
    }


# --- from rows to events --------------------------------------------------------------------------------------------


class _Scribe:
    """Writes events from the rows that the engine notes, and from the state where things are settled.

    An action, or what a round sets off as it begins, is a *block*: its first event, then its effects in the order in
    which they fired, then a `state`.
    """

    def __init__(self, game: LoggedGame, table: Table) -> None:
        self._game = game
        self._events = game.events
        self._table = table
        self._open = False  # a block is under way
        self._action: Event = {}  # its turn or seal event, if it has one
        self._effects: list[Event] = []
        self._cubes: list[list[int]] = []  # where cubes being researched are written down
        self._reshuffled = False
        self._last: Event = {}  # the last `state`
        self._handlers: Final[dict[int, Callable[..., None]]] = {
            lay.LOG_DEAL_UNIVERSITY: self._deal_expert,
            lay.LOG_DEAL_ACADEMY: self._deal_animal,
            lay.LOG_REMAKE: self._remake,
            lay.LOG_DRAFT: self._draft,
            lay.LOG_START: self._start,
            lay.LOG_ROUND: self._round,
            lay.LOG_ROLL: self._roll,
            lay.LOG_PLACE: self._place,
            lay.LOG_ACTION: self._take_die,
            lay.LOG_PAYMENT: self._payment,
            lay.LOG_VALUE: self._value,
            lay.LOG_UNIVERSITY: self._university,
            lay.LOG_ACADEMY: self._academy,
            lay.LOG_EXPEDITION: self._expedition,
            lay.LOG_PUBLICATION: self._publication,
            lay.LOG_GAVE: self._gave,
            lay.LOG_ALONG: self._along,
            lay.LOG_CUBE: self._cube,
            lay.LOG_PASS: self._pass,
            lay.LOG_EFFECT: self._effect,
            lay.LOG_GAIN: self._gain,
            lay.LOG_DREW: self._drew,
        }

    def read(self, rows: list[list[int]]) -> None:
        """Write down what has just happened; the state is what it has led to."""
        for code, *numbers in rows:
            handler = self._handlers.get(code)
            if handler is not None:
                handler(*numbers)
        self._settle()

    def _settle(self) -> None:
        """Where nothing is under way or pending, end the block and look at the state."""
        state = self._game.state
        if state[lay.KIND] != lay.KIND_NONE or state[lay.PENDING_COUNT] > 0:
            return
        phase = state[lay.PHASE]
        if phase == lay.PHASE_DRAFT:
            # The draft's end and the first round's beginning are one step: keep what lies before it.
            self._flush_effects()
            self._last = self._table.state()
        elif self._open and phase in (lay.PHASE_TURN, lay.PHASE_SEAL):
            self._end_block()
        elif phase == lay.PHASE_OVER:
            self._events.append(self._table.state())
            self._events.append(self._table.score())

    def _grow(self, kind: str, seat: int, key: str, empty: list[Any]) -> list[Any]:
        """List in the last event, if that is of this kind and seat, else in a new event."""
        last = self._events[-1]
        if last["event"] != kind or last["seat"] != seat:
            last = {"event": kind, "seat": seat, key: empty}
            self._events.append(last)
        grown: list[Any] = last[key]
        return grown

    # set-up and the frame of a round

    def _deal_expert(self, _: int, expert: int, *rest: int) -> None:
        self._deal("university", self._table.experts[expert], self._table.university())

    def _deal_animal(self, _: int, animal: int, *rest: int) -> None:
        self._deal("academy", self._table.animals[animal], self._table.academy())

    def _deal(self, to: str, card: int, display: list[int]) -> None:
        self._end_setup()
        last = self._events[-1]
        if last["event"] != "deal" or last["to"] != to:
            last = {"event": "deal", "to": to, "cards": [], "display": display}
            self._events.append(last)
        last["cards"].append(card)
        self._mark_reshuffled(last)

    def _remake(self, *rest: int) -> None:
        self._reshuffled = True

    def _mark_reshuffled(self, event: Event) -> None:
        if self._reshuffled:
            event["reshuffled"] = True
            self._reshuffled = False

    def _draft(self, seat: int, animal: int, *rest: int) -> None:
        self._grow("draft", seat, "animals", []).append(self._table.animals[animal])

    def _start(self, seat: int, coins: int, tokens: int, *rest: int) -> None:
        self._events.append({"event": "start", "seat": seat, "coins": coins, "expedition_tokens": tokens})
        self._last["seats"][seat]["coins"] += coins
        self._last["seats"][seat]["expedition_tokens"] += tokens

    def _end_setup(self) -> None:
        """Write down the state after the set-up, before anything of the first round."""
        if self._last and self._events[-1]["event"] == "start":
            self._events.append(self._last)

    def _round(self, seat: int, token: int, *rest: int) -> None:
        self._end_setup()
        number = int(self._game.state[lay.ROUND])
        self._events.append(
            {"event": "round", "round": number, "start_player": seat, "token": self._table.tokens[token]}
        )
        self._open = True

    def _roll(self, seat: int, die: int, value: int, *rest: int) -> None:
        self._flush_effects()
        self._table.clear_areas()
        self._grow("roll", seat, "dice", []).append({"id": die, "colour": self._table.colour(die), "value": value})

    def _place(self, seat: int, die: int, space: int, *rest: int) -> None:
        empty = [None] * int(self._game.tables[lay.SPACES])
        self._grow("place", seat, "spaces", empty)[space] = die

    # an action

    def _take_die(self, seat: int, die: int, place: int, rolled: int) -> None:
        self._action = {"event": "seal" if rolled else "turn", "seat": seat, "die": die}
        if rolled:
            area = ACTIONS[place - lay.DIE_IN_AREA]
            self._action |= {"from": {"area": area}, "roll": rolled}
            self._table.take_from_area(die)
        else:
            owner, space = divmod(place - lay.DIE_ON_BOARD, int(self._game.tables[lay.SPACES]))
            self._action["from"] = {"seat": owner, "space": space + 1}
        self._open = True

    def _payment(self, _: int, recoloured: int, coins: int, tokens: int) -> None:
        self._action |= {"recolour": _RECOLOURED[recoloured], "coins": coins, "tokens": tokens}

    def _value(self, _: int, value: int, colour: int, action: int) -> None:
        paid = {key: self._action.pop(key) for key in ("recolour", "coins", "tokens")}
        colour_name = self._table.continents[colour]
        self._action |= {"action": ACTIONS[action], "colour": colour_name, **paid, "value": value}

    def _university(self, seat: int, expert: int, slot: int, how: int) -> None:
        under = how == _UNDER
        self._action |= {"expert": self._table.experts[expert], "space": slot + 1, "under": under}
        self._table.add_expert(seat, slot, expert, under=under)

    def _academy(self, _: int, animal: int, *rest: int) -> None:
        self._action |= {"animal": self._table.animals[animal]}

    def _expedition(self, _: int, continent: int, space: int, *rest: int) -> None:
        self._cubes = []
        self._action |= {"continent": self._table.continents[continent], "space": space + 1, "cubes": self._cubes}

    def _publication(self, _: int, reference: int, *rest: int) -> None:
        self._action |= {"reference": self._table.animals[reference], "gave": [], "also": []}

    def _gave(self, _: int, animal: int, type_index: int, *rest: int) -> None:
        self._action["gave"].append([self._table.animals[animal], type_index + 1])

    def _along(self, _: int, animal: int, *rest: int) -> None:
        self._action["also"].append(self._table.animals[animal])

    def _cube(self, _: int, animal: int, type_index: int, *rest: int) -> None:
        self._cubes.append([self._table.animals[animal], type_index + 1])

    def _pass(self, seat: int, *rest: int) -> None:
        self._events.append({"event": "seal", "seat": seat, "pass": True})
        self._events.append(copy.deepcopy(self._last))

    # effects

    def _effect(self, seat: int, code: int, argument: int, *rest: int) -> None:
        self._effects.append({"event": "effect", "seat": seat, "source": self._source(code, argument)})

    def _source(self, code: int, argument: int) -> str:
        """Name what fired."""
        if code == lay.PENDING_SPACE:
            return f"stolen:{argument + 1}"
        if code == lay.PENDING_EXPERT:
            return f"expert:{self._table.experts[argument]}"
        if code == lay.PENDING_TOKEN:
            return f"token:{self._table.tokens[argument]}"
        return BEYOND if code == lay.PENDING_BEYOND else f"reputation:{argument}"

    def _gain(self, _: int, effect: int, amount: int, *rest: int) -> None:
        event = self._effects[-1]
        if effect == lay.EFFECT_NONE:
            self._effects.pop()
        elif effect == lay.EFFECT_ANIMALS:
            event["animals"] = []
        elif effect == lay.EFFECT_RESEARCH:
            self._cubes = event["cubes"] = []
        else:
            event[EFFECTS[effect]] = amount

    def _drew(self, _: int, animal: int, *rest: int) -> None:
        event = self._effects[-1]
        event["animals"].append(self._table.animals[animal])
        self._mark_reshuffled(event)

    def _flush_effects(self) -> None:
        self._events.extend(_beyond_merged(self._effects))
        self._effects = []

    def _end_block(self) -> None:
        """Write the action, its effects, and the state they led to."""
        if self._action:
            self._events.append(self._action)
            self._table.lay_down(self._action, self._last)
        self._flush_effects()
        self._last = self._table.state()
        self._events.append(self._last)
        self._open, self._action = False, {}


def _beyond_merged(effects: Sequence[Event]) -> list[Event]:
    """Effects with one `reputation:beyond` a seat, all its VP where its last points fell."""
    merged: list[Event] = []
    for effect in effects:
        if effect["source"] == BEYOND:
            earlier = next((e for e in merged if e["source"] == BEYOND and e["seat"] == effect["seat"]), None)
            if earlier is not None:
                merged.remove(earlier)
                effect["vp"] += earlier["vp"]
        merged.append(effect)
    return merged
