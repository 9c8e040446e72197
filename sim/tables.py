"""A checked configuration as the flat integer array that compiled code reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim import layout as lay
from sim.actions import MOST_ANIMALS, MOST_TYPES
from sim.chance import ORDERS, SUBINDEX
from sim.config import Configuration
from sim.errors import InputError
from sim.ruleset import Ruleset
from sim.vocabulary import EFFECTS, SCOPES, TRIGGERS

Int32Array = NDArray[np.int32]

MOST_CONTINENTS: Final = 31
"""Colours are the bits of one int32 cell."""

MOST_BOARD_SPACES: Final = 32
"""Strategies have room for this many spaces of a board."""

LOG_ROOM: Final = 40_000
"""Cells a record gets on top when a game is to be logged."""


@dataclass(frozen=True)
class Experiment:
    """Cards that do not begin in the deck: what a paired experiment changes beside rules and cards.

    The decks are shuffled as if nothing were changed, so that the order of all other cards is kept.

    Attributes
    ----------
    banned_animals, banned_experts
        Ids of cards that are left out of the game.
    given_animals, given_experts
        Id of a card → seat that begins the game with it.
    """

    banned_animals: Sequence[int] = ()
    banned_experts: Sequence[int] = ()
    given_animals: Mapping[int, int] = field(default_factory=dict)
    given_experts: Mapping[int, int] = field(default_factory=dict)


NO_EXPERIMENT: Final = Experiment()


class _Allotment:
    """Hand out consecutive ranges of a flat array."""

    def __init__(self, start: int) -> None:
        self.size = start

    def take(self, count: int) -> int:
        start = self.size
        self.size += count
        return start


def build_tables(configuration: Configuration, players: int, experiment: Experiment = NO_EXPERIMENT) -> Int32Array:
    """Lay out a configuration for a number of players.

    Parameters
    ----------
    configuration
        Ruleset and card set.
    players
        Seats in the game, within the ruleset's ``players.fewest`` … ``players.most``.
    experiment
        Cards banned or given at the start.

    Returns
    -------
    int32[::1]
        Header, lists and the places of everything in state, chance and record (`sim.layout`).

    Raises
    ------
    InputError
        If the number of players is not one the ruleset allows, or a card of the experiment does not exist.

    Examples
    --------
    >>> from sim.config import load_configuration
    >>> tables = build_tables(load_configuration(), players=4)
    >>> int(tables[lay.PLAYERS]), int(tables[lay.ANIMALS])
    (4, 75)
    """
    rules = configuration.ruleset
    if not rules.players.fewest <= players <= rules.players.most:
        raise InputError(
            f"players: found {players}, but ruleset {rules.name!r} is for "
            f"{rules.players.fewest} to {rules.players.most}"
        )
    _check_packing(configuration)
    header = np.zeros(lay.TABLES_HEADER, dtype=np.int64)
    _fill_counts(header, configuration, players)
    lists = _Allotment(lay.TABLES_HEADER)
    parts: list[NDArray[np.int64]] = []

    def append(key: int, values: Sequence[int] | NDArray[np.int64]) -> None:
        data = np.asarray(values, dtype=np.int64).ravel()
        header[key] = lists.take(len(data))
        parts.append(data)

    _fill_lists(append, configuration, players)
    _fill_starts(append, configuration, experiment, players)
    _place_state(header, len(experiment.given_experts))
    _place_chance(header)
    _place_record(header)
    return np.concatenate([header, *parts]).astype(np.int32)


def _check_packing(configuration: Configuration) -> None:
    """Refuse what is too large for the packing of actions, bit masks and streams."""
    for what, count, most in (
        ("animal cards", len(configuration.cards.animals), MOST_ANIMALS),
        ("types", len(configuration.ruleset.types), MOST_TYPES),
        ("continents", len(configuration.ruleset.continents.names), MOST_CONTINENTS),
        ("board spaces", len(configuration.ruleset.board.spaces), MOST_BOARD_SPACES),
        ("seals per round", configuration.ruleset.seals.per_round, SUBINDEX),
    ):
        if count > most:
            raise InputError(f"{what}: found {count}, at most {most} are possible")


def _fill_counts(header: NDArray[np.int64], configuration: Configuration, players: int) -> None:
    rules, cards = configuration.ruleset, configuration.cards
    types = list(rules.types.values())
    counts = {
        lay.PLAYERS: players,
        lay.ROUNDS: rules.rounds,
        lay.ROTATES: int(rules.start_player == "rotate"),
        lay.CONTINENTS: len(rules.continents.names),
        lay.TYPES: len(types),
        lay.CATEGORIES: sum(len(kind.categories) for kind in types),
        lay.ANIMALS: len(cards.animals),
        lay.EXPERTS: len(cards.experts),
        lay.TOKENS: len(cards.tokens),
        lay.DICE: rules.dice.per_colour * len(rules.continents.names),
        lay.DICE_PER_PLAYER: rules.dice.per_player,
        lay.SPACES: len(rules.board.spaces),
        lay.SLOTS: rules.university.spaces,
        lay.SIDES: rules.dice.sides,
        lay.DISPLAY_ANIMALS: rules.display.animals[players - rules.players.fewest],
        lay.DISPLAY_EXPERTS: rules.display.experts,
        lay.DRAFT: rules.draft.animals,
        lay.START_TOKENS: rules.start.expedition_tokens,
        lay.RECOLOUR_PRICE: rules.recolour.expedition_tokens,
        lay.PER_COIN: rules.boost.per_coin,
        lay.PER_TOKEN: rules.boost.per_token,
        lay.BANK_COINS: rules.bank.coins,
        lay.MATCH_REPUTATION: rules.university.match_reputation,
        lay.PUBLICATION_SEALS: rules.publication.seals,
        lay.ANIMAL_VP: rules.publication.animal_vp,
        lay.SEALS_PER_ROUND: rules.seals.per_round,
        lay.SEAL_VP: rules.scoring.seal_vp,
        lay.COINS_PER_VP: rules.scoring.coins_per_vp,
        lay.TOKEN_VP: rules.scoring.expedition_token_vp,
        lay.TRACK_LENGTH: rules.reputation.length,
        lay.BEYOND_VP: rules.reputation.beyond_vp,
        lay.EXPEDITION_SPACES: len(rules.expedition.reputation),
        lay.EMBASSY_STEPS: len(rules.embassy.expedition_tokens),
        lay.ACADEMY_STEPS: len(rules.academy.reputation),
        lay.CATEGORY_STEPS: len(rules.scoring.category_bonus),
        lay.CONTINENT_STEPS: len(rules.scoring.continent_bonus),
    }
    for key, value in counts.items():
        header[key] = value
    # Payments mark which totals of cube costs can be reached; the dearest is every cube of every animal.
    dearest = len(cards.animals) * sum(kind.cost for kind in types)
    header[lay.WORK_SIZE] = 1 + dearest // lay.SUM_BITS
    header[lay.WORK] = _most_actions(header, dearest)
    header[lay.ACTION_LIMIT] = header[lay.WORK] + header[lay.WORK_SIZE]


def _most_actions(header: NDArray[np.int64], dearest: int) -> int:
    """Upper bound of the legal actions of one decision."""
    targets = (
        2 + header[lay.DISPLAY_EXPERTS] + header[lay.DISPLAY_ANIMALS] + header[lay.CONTINENTS] + header[lay.ANIMALS]
    )
    payments = 2 + max(dearest, header[lay.EMBASSY_STEPS], header[lay.ACADEMY_STEPS], 1000)
    cubes = 1 + header[lay.ANIMALS] * header[lay.TYPES]
    return int(max(targets, payments, cubes, 1 + header[lay.DICE], 2 * header[lay.SLOTS], header[lay.SPACES]))


def _fill_lists(append, configuration: Configuration, players: int) -> None:  # type: ignore[no-untyped-def]
    rules, cards = configuration.ruleset, configuration.cards
    effects = {name: code for code, name in enumerate(EFFECTS)}
    continents = {name: code for code, name in enumerate(rules.continents.names)}
    categories = category_codes(rules)
    append(lay.T_OFFSETS, rules.coins.offsets[:players])
    append(lay.T_EMBASSY, rules.embassy.expedition_tokens)
    append(lay.T_ACADEMY, rules.academy.reputation)
    append(lay.T_CATEGORY_BONUS, rules.scoring.category_bonus)
    append(lay.T_CONTINENT_BONUS, rules.scoring.continent_bonus)
    append(lay.T_EXPEDITION, rules.expedition.reputation)
    spaces = [rules.board.spaces[number] for number in sorted(rules.board.spaces)]
    append(lay.T_SPACES, [cell for space in spaces for cell in (effects[space.effect], space.amount)])
    append(lay.T_TRACK, _track(rules, effects))
    types = list(rules.types.values())
    append(lay.T_TYPES, [cell for kind in types for cell in (kind.cost, kind.publish_from, kind.vp)])
    append(lay.T_CATEGORY_TYPE, [number for number, kind in enumerate(types) for _ in kind.categories])
    names = list(rules.types)
    append(
        lay.T_ANIMALS,
        [
            cell
            for animal in cards.animals
            for cell in (
                continents[animal.continent],
                *(categories[name, category] for name, category in zip(names, animal.categories, strict=True)),
            )
        ],
    )
    append(lay.T_EXPERTS, [cell for expert in cards.experts for cell in _expert_row(expert, rules)])
    append(
        lay.T_TOKENS,
        [cell for token in cards.tokens for cell in (effects[token.effect], token.amount, SCOPES.index(token.scope))],
    )
    dice = range(rules.dice.per_colour * len(continents))
    append(lay.T_DIE_COLOUR, [die // rules.dice.per_colour for die in dice])
    # Quotients and remainders that every turn needs; a division takes longer than to read one.
    each, boards = rules.dice.per_player, players * len(spaces)
    append(lay.T_TURN_POSITION, [step % players for step in range(players * each)])
    append(lay.T_PLACING_POSITION, [step // each for step in range(players * each)])
    append(lay.T_BOARD_OWNER, [place // len(spaces) for place in range(boards)])


def _track(rules: Ruleset, effects: Mapping[str, int]) -> list[int]:
    """Effect and amount of every space of the reputation track, from 0."""
    cells = [0] * (2 * (rules.reputation.length + 1))
    for space, gain in rules.reputation.track.items():
        cells[2 * space : 2 * space + 2] = [effects[gain.effect], gain.amount]
    return cells


def category_codes(rules: Ruleset) -> dict[tuple[str, str], int]:
    """Give every category a number through all types: (type, category) → code."""
    pairs = [(name, category) for name, kind in rules.types.items() for category in kind.categories]
    return {pair: code for code, pair in enumerate(pairs)}


def _expert_row(expert, rules: Ruleset) -> list[int]:  # type: ignore[no-untyped-def]
    continents = rules.continents.names
    kind, value = _filter(expert.effect, expert.effect_filter, rules)
    return [
        continents.index(expert.continent),
        TRIGGERS.index(expert.trigger),
        continents.index(expert.trigger_continent) if expert.trigger_continent else -1,
        EFFECTS.index(expert.effect),
        expert.amount,
        kind,
        value,
    ]


def _filter(effect: str, text: str | None, rules: Ruleset) -> tuple[int, int]:
    """Kind and value of an effect's filter."""
    if not text:
        # "k coins" without a number means every single coin.
        return lay.FILTER_NONE, 1 if effect == "vp_per_coins" else -1
    if effect == "vp_per_coins":
        return lay.FILTER_NUMBER, int(text)
    if effect == "discount":
        return lay.FILTER_TYPE, list(rules.types).index(text)
    if text in rules.continents.names:
        return lay.FILTER_CONTINENT, rules.continents.names.index(text)
    name, _, category = text.partition(":")
    return lay.FILTER_CATEGORY, category_codes(rules)[name, category]


def _fill_starts(  # type: ignore[no-untyped-def]
    append, configuration: Configuration, experiment: Experiment, players: int
) -> None:
    for key, what, cards, banned, given in (
        (
            lay.T_ANIMAL_START, "animal", configuration.cards.animals,
            experiment.banned_animals, experiment.given_animals,
        ),
        (
            lay.T_EXPERT_START, "expert", configuration.cards.experts,
            experiment.banned_experts, experiment.given_experts,
        ),
    ):  # fmt: skip
        rows = {card.id: row for row, card in enumerate(cards)}
        for identity in (*banned, *given):
            if identity not in rows:
                raise InputError(f"{what} {identity}: there is no such card in the set")
        for identity, seat in given.items():
            if identity in banned:
                raise InputError(f"{what} {identity}: it is banned and given to seat {seat}; only one is possible")
            if not 0 <= seat < players:
                raise InputError(f"{what} {identity}: given to seat {seat}; allowed: 0 to {players - 1}")
        start = np.full(len(cards), lay.START_DECK, dtype=np.int64)
        for identity in banned:
            start[rows[identity]] = lay.START_OUT
        for identity, seat in given.items():
            start[rows[identity]] = lay.START_SEAT_0 + seat
        append(key, start)


def _place_state(header: NDArray[np.int64], given_experts: int) -> None:
    players, animals, dice = header[lay.PLAYERS], header[lay.ANIMALS], header[lay.DICE]
    state = _Allotment(int(lay.SEATS + players * lay.SEAT_SIZE))
    # Order matters: setup clears neighbours together (sim.rules.setup).
    header[lay.PENDING_LIMIT] = players * (header[lay.SLOTS] + header[lay.TRACK_LENGTH] + 4) + 4 + given_experts
    for key, count in (
        (lay.S_ACADEMY, header[lay.DISPLAY_ANIMALS]),
        (lay.S_UNIVERSITY, header[lay.DISPLAY_EXPERTS]),
        (lay.S_ANIMAL_WHERE, animals),
        (lay.S_ANIMAL_CUBES, animals),
        (lay.S_EXPERT_WHERE, header[lay.EXPERTS]),
        (lay.S_HANDS, players * animals),
        (lay.S_SLOTS, players * header[lay.SLOTS]),
        (lay.S_CATEGORY_CUBES, players * header[lay.CATEGORIES]),
        (lay.S_CONTINENT_ANIMALS, players * header[lay.CONTINENTS]),
        (lay.S_CONTINENT_EXPERTS, players * header[lay.CONTINENTS]),
        (lay.S_HAND_ANIMALS, players * header[lay.CONTINENTS]),
        (lay.S_HAND_CUBES, players * header[lay.CATEGORIES]),
        (lay.S_BOARDS, players * header[lay.SPACES]),
        (lay.S_DIE_VALUE, dice),
        (lay.S_DIE_WHERE, dice),
        (lay.S_DRAWN, players * header[lay.DICE_PER_PLAYER]),
        (lay.S_COLOUR_COUNT, header[lay.CONTINENTS]),
        (lay.S_EXPEDITION, header[lay.CONTINENTS] * header[lay.EXPEDITION_SPACES]),
        (lay.S_TOKENS, header[lay.ROUNDS]),
        (lay.S_COSTS, header[lay.TYPES]),
        (lay.S_PENDING, header[lay.PENDING_LIMIT]),
    ):
        header[key] = state.take(int(count))
    header[lay.STATE_SIZE] = state.size


def _place_chance(header: NDArray[np.int64]) -> None:
    chance = _Allotment(ORDERS)
    for key, count in (
        (lay.C_ANIMALS, lay.ANIMALS),
        (lay.C_EXPERTS, lay.EXPERTS),
        (lay.C_TOKENS, lay.TOKENS),
        (lay.C_BAG, lay.DICE),
    ):
        header[key] = chance.take(int(header[count]))
    header[lay.CHANCE_SIZE] = chance.size


def _place_record(header: NDArray[np.int64]) -> None:
    record = _Allotment(int(lay.REC_SEATS + header[lay.PLAYERS] * lay.REC_SEAT_SIZE))
    header[lay.R_ANIMALS] = record.take(int(header[lay.ANIMALS] * lay.CARD_ROW))
    header[lay.R_EXPERTS] = record.take(int(header[lay.EXPERTS] * lay.CARD_ROW))
    header[lay.R_VP_BY_ROUND] = record.take(int(header[lay.PLAYERS] * header[lay.ROUNDS]))
    header[lay.RECORD_SIZE] = record.size
