"""What holds in every state of every game, worked out from the state alone."""

from collections import Counter

import numpy as np

from sim import layout as lay
from sim.actions import ARGUMENT_BITS, PASS
from sim.game import Game
from sim.vocabulary import ACTIONS, EFFECTS, TRIGGERS
from tests.lockstep import seat_record

COLUMNS = {name: number for number, name in enumerate(lay.SEAT_COLUMNS)}


def cells(game: Game, key: int, count: int) -> list[int]:
    """Cells of a part of the state, from where the tables say it begins."""
    start = int(game.tables[key])
    part: list[int] = game.state[start : start + count].tolist()
    return part


def seat_cell(game: Game, seat: int, field: int) -> int:
    """One field of a seat's block."""
    return int(game.state[lay.SEATS + seat * lay.SEAT_SIZE + field])


def seats(game: Game) -> range:
    return range(int(game.tables[lay.PLAYERS]))


def check(game: Game) -> None:
    """Assert everything below, but for `check_turns`, which a table laid out by hand need not keep."""
    check_animals(game)
    check_experts(game)
    check_dice(game)
    check_cubes(game)
    check_goods(game)
    check_decision(game)


def check_animals(game: Game) -> None:
    """Every animal is in exactly one place, and what is counted is right."""
    tables, state, chance = game.tables, game.state, game.arena.chance
    animals = int(tables[lay.ANIMALS])
    where = cells(game, lay.S_ANIMAL_WHERE, animals)
    hidden = chance[
        tables[lay.C_ANIMALS] + state[lay.ANIMAL_FRONT] : tables[lay.C_ANIMALS]
        + state[lay.ANIMAL_SIZE]
        - state[lay.ANIMAL_BACK]
    ]
    assert sorted(hidden.tolist()) == at_place(where, lay.IN_DECK)
    assert shown(game, lay.S_ACADEMY, lay.DISPLAY_ANIMALS, lay.ACADEMY_COUNT) == at_place(where, lay.ON_DISPLAY)
    continents = int(tables[lay.CONTINENTS])
    for seat in seats(game):
        count = seat_cell(game, seat, lay.HAND_COUNT)
        start = int(tables[lay.S_HANDS]) + seat * animals
        hand = state[start : start + animals].tolist()
        assert sorted(hand[:count]) == at_place(where, lay.IN_HAND + seat, lay.PUBLISHING + seat)
        assert set(hand[count:]) <= {lay.NOWHERE}
        published = at_place(where, lay.PUBLISHED + seat)
        assert seat_cell(game, seat, lay.PUBLISHED_COUNT) == len(published)
        by_continent = Counter(
            int(tables[tables[lay.T_ANIMALS] + card * (1 + tables[lay.TYPES])]) for card in published
        )
        counted = cells(game, lay.S_CONTINENT_ANIMALS, len(seats(game)) * continents)[seat * continents :][:continents]
        assert counted == [by_continent[continent] for continent in range(continents)]
        check_hand_counts(game, seat, hand[:count])
    if state[lay.KIND] not in (lay.KIND_GIVE, lay.KIND_ALONG):
        assert not any(lay.PUBLISHING <= place < lay.PUBLISHED for place in where)


def check_hand_counts(game: Game, seat: int, hand: list[int]) -> None:
    """What a hand holds by continent, and the cubes on it by category, are counted right."""
    tables = game.tables
    types, continents, categories = int(tables[lay.TYPES]), int(tables[lay.CONTINENTS]), int(tables[lay.CATEGORIES])
    rows = tables[tables[lay.T_ANIMALS] :][: int(tables[lay.ANIMALS]) * (1 + types)].reshape(-1, 1 + types)
    cubes = cells(game, lay.S_ANIMAL_CUBES, int(tables[lay.ANIMALS]))
    by_continent = Counter(int(rows[animal, 0]) for animal in hand)
    lying = Counter(
        int(rows[animal, 1 + number]) for animal in hand for number in range(types) if cubes[animal] >> number & 1
    )
    there = cells(game, lay.S_HAND_ANIMALS, len(seats(game)) * continents)[seat * continents :][:continents]
    assert there == [by_continent[continent] for continent in range(continents)]
    there = cells(game, lay.S_HAND_CUBES, len(seats(game)) * categories)[seat * categories :][:categories]
    assert there == [lying[category] for category in range(categories)]


def check_experts(game: Game) -> None:
    """Every expert is in exactly one place; counts and masks are those of the cards."""
    tables, state, chance = game.tables, game.state, game.arena.chance
    experts, slots, continents = int(tables[lay.EXPERTS]), int(tables[lay.SLOTS]), int(tables[lay.CONTINENTS])
    where = cells(game, lay.S_EXPERT_WHERE, experts)
    # An expert that is being hired is on its way from the display to a space.
    moving = [int(state[lay.TARGET])] if state[lay.KIND] == lay.KIND_SLOT else []
    assert state[lay.EXPERT_BACK] == 0
    start = tables[lay.C_EXPERTS]
    hidden = chance[start + state[lay.EXPERT_FRONT] : start + state[lay.EXPERT_SIZE]].tolist()
    assert sorted(hidden) == at_place(where, lay.IN_DECK)
    display = shown(game, lay.S_UNIVERSITY, lay.DISPLAY_EXPERTS, lay.UNIVERSITY_COUNT)
    assert sorted(display + moving) == at_place(where, lay.ON_DISPLAY)
    rows = tables[tables[lay.T_EXPERTS] :][: experts * lay.EXPERT_ROW].reshape(experts, lay.EXPERT_ROW)
    for seat in seats(game):
        tops = cells(game, lay.S_SLOTS, len(seats(game)) * slots)[seat * slots :][:slots]
        owned = [row for row, place in enumerate(where) if (place - lay.OWNED) // lay.OWNED_STEP == seat]
        owned = [row for row in owned if where[row] >= lay.OWNED]
        for slot, top in enumerate(tops):
            pile = at_place(where, lay.OWNED + seat * lay.OWNED_STEP + slot)
            assert (top in pile) if top >= 0 else not pile
        assert all((where[row] - lay.OWNED) % lay.OWNED_STEP < slots for row in owned)
        if state[lay.KIND] == lay.KIND_SLOT and state[lay.ACTOR] == seat:
            owned += moving
        assert seat_cell(game, seat, lay.EXPERT_COUNT) == len(owned)
        counted = cells(game, lay.S_CONTINENT_EXPERTS, len(seats(game)) * continents)[seat * continents :][:continents]
        by_continent = Counter(int(rows[row, lay.EXPERT_CONTINENT]) for row in owned)
        assert counted == [by_continent[continent] for continent in range(continents)]
        check_works(game, seat, rows[[top for top in tops if top >= 0]])


def check_works(game: Game, seat: int, tops: np.ndarray) -> None:
    """What a seat's experts on top do is noted right: where they recolour free, and that anything is to be done."""
    everywhere = (1 << int(game.tables[lay.CONTINENTS])) - 1
    masks = [0] * len(ACTIONS)
    working = 0
    for row in tops.tolist():
        trigger, effect = TRIGGERS[row[lay.EXPERT_TRIGGER]], EFFECTS[row[lay.EXPERT_EFFECT]]
        if effect == "recolour":
            narrow = row[lay.EXPERT_TRIGGER_CONTINENT]
            masks[ACTIONS.index(trigger)] |= everywhere if narrow < 0 else 1 << narrow
        elif effect == "value":
            working |= 1 << lay.WORKS_VALUE + ACTIONS.index(trigger)
        elif effect == "discount":
            working |= 1 << lay.WORKS_DISCOUNT
        else:
            working |= 1 << TRIGGERS.index(trigger)
    assert [seat_cell(game, seat, lay.FREE_RECOLOUR + action) for action in range(len(ACTIONS))] == masks
    assert seat_cell(game, seat, lay.WORKING) == working


def shown(game: Game, start: int, size: int, count: int) -> list[int]:
    """Cards of a display, sorted; the places behind the last one are empty."""
    display = cells(game, start, int(game.tables[size]))
    dealt = int(game.state[count])
    assert set(display[dealt:]) <= {lay.NOWHERE}
    return sorted(display[:dealt])


def at_place(where: list[int], *places: int) -> list[int]:
    """Rows of the cards or dice that are at one of some places."""
    return [row for row, place in enumerate(where) if place in places]


def check_dice(game: Game) -> None:
    """Every die is in exactly one place and shows a value if it has been rolled."""
    tables, state = game.tables, game.state
    dice, spaces = int(tables[lay.DICE]), int(tables[lay.SPACES])
    where, values = cells(game, lay.S_DIE_WHERE, dice), cells(game, lay.S_DIE_VALUE, dice)
    board = cells(game, lay.S_BOARDS, len(seats(game)) * spaces)
    for cell, die in enumerate(board):
        assert die < 0 or where[die] == lay.DIE_ON_BOARD + cell
    on_boards = [die for die in board if die >= 0]
    assert sorted(on_boards) == [die for die, place in enumerate(where) if place >= lay.DIE_ON_BOARD]
    colours = Counter(int(tables[tables[lay.T_DIE_COLOUR] + die]) for die in on_boards)
    assert cells(game, lay.S_COLOUR_COUNT, int(tables[lay.CONTINENTS])) == [
        colours[colour] for colour in range(int(tables[lay.CONTINENTS]))
    ]
    assert state[lay.COLOURS] == sum(1 << colour for colour in colours)

    expedition = cells(game, lay.S_EXPEDITION, int(tables[lay.CONTINENTS] * tables[lay.EXPEDITION_SPACES]))
    lying = [die for die in expedition if die >= 0]
    if state[lay.PHASE] in (lay.PHASE_PLACE, lay.PHASE_TURN, lay.PHASE_SEAL):
        rows = np.array(expedition).reshape(int(tables[lay.CONTINENTS]), -1)
        free = np.flatnonzero((rows < 0).any(axis=1)).tolist()
        assert state[lay.OPEN_CONTINENTS] == sum(1 << continent for continent in free)
    assert len(set(lying)) == len(lying)
    sent = at_place(where, lay.DIE_IN_AREA + lay.EXPEDITION)
    # The die of an expedition gets its space when it is paid for.
    assert set(lying) <= set(sent)
    assert len(sent) - len(lying) <= 1
    each = int(tables[lay.DICE_PER_PLAYER])
    if state[lay.PHASE] in (lay.PHASE_PLACE, lay.PHASE_TURN, lay.PHASE_SEAL, lay.PHASE_OVER):
        drawn = cells(game, lay.S_DRAWN, len(seats(game)) * each)
        assert sorted(drawn) == [die for die, value in enumerate(values) if value]
        assert all(1 <= values[die] <= tables[lay.SIDES] for die in drawn)
        for seat in seats(game):
            mine = drawn[seat * each : (seat + 1) * each]
            assert {die for die, place in enumerate(where) if place == lay.DIE_DRAWN + seat} <= set(mine)


def check_turns(game: Game) -> None:
    """While there are turns to take, every turn taken has taken a die off the boards."""
    if game.state[lay.PHASE] == lay.PHASE_TURN:
        board = cells(game, lay.S_BOARDS, len(seats(game)) * int(game.tables[lay.SPACES]))
        turns = len(seats(game)) * int(game.tables[lay.DICE_PER_PLAYER])
        assert sum(die >= 0 for die in board) == turns - game.state[lay.STEP]


def check_cubes(game: Game) -> None:
    """Cubes lie on animals in hand and category spaces only; what was researched and scored is what is there."""
    tables = game.tables
    animals, types, categories = int(tables[lay.ANIMALS]), int(tables[lay.TYPES]), int(tables[lay.CATEGORIES])
    where = cells(game, lay.S_ANIMAL_WHERE, animals)
    cubes = cells(game, lay.S_ANIMAL_CUBES, animals)
    on_category = cells(game, lay.S_CATEGORY_CUBES, len(seats(game)) * categories)
    assert all(0 <= mask < 1 << types for mask in cubes)
    assert min(on_category) >= 0
    for seat in seats(game):
        row = seat_record(game, seat)
        held = sum(
            mask.bit_count()
            for mask, place in zip(cubes, where, strict=True)
            if place in (lay.IN_HAND + seat, lay.PUBLISHING + seat)
        )
        scored = sum(on_category[seat * categories : (seat + 1) * categories])
        assert scored == row[COLUMNS["cubes_scored"]]
        assert row[COLUMNS["cubes_researched"]] >= scored + held
    for mask, place in zip(cubes, where, strict=True):
        assert not mask or lay.IN_HAND <= place < lay.PUBLISHED


def check_goods(game: Game) -> None:
    """What a seat holds is what it gained less what it gave; its VP are the sum of their parts."""
    for seat in seats(game):
        row = dict(zip(lay.SEAT_COLUMNS, seat_record(game, seat), strict=True))
        coins, tokens = seat_cell(game, seat, lay.COINS), seat_cell(game, seat, lay.EXPEDITION_TOKENS)
        seals, reputation = seat_cell(game, seat, lay.SEALS), seat_cell(game, seat, lay.REPUTATION)
        assert min(coins, tokens, seals) >= 0
        assert coins == row["coins_gained"] - row["coins_spent"] - row["coins_lost"]
        assert tokens == row["tokens_gained"] - row["tokens_spent"]
        assert seals == row["seals_gained"] - row["seals_used"]
        assert reputation == min(row["reputation_gained"], game.tables[lay.TRACK_LENGTH])
        parts = ("vp_cubes", "vp_animals", "vp_spaces", "vp_tokens", "vp_track", "vp_experts")
        assert seat_cell(game, seat, lay.VP) == sum(row[part] for part in parts)
        owned = row["experts_hired"] + sum(
            1 for cell in cells_of_starts(game, lay.T_EXPERT_START, lay.EXPERTS) if cell == lay.START_SEAT_0 + seat
        )
        assert seat_cell(game, seat, lay.EXPERT_COUNT) == owned
        given = sum(
            1 for cell in cells_of_starts(game, lay.T_ANIMAL_START, lay.ANIMALS) if cell == lay.START_SEAT_0 + seat
        )
        came = given + row["animals_drafted"] + row["animals_taken"] + row["animals_drawn"]
        left = row["animals_left"] if game.over else seat_cell(game, seat, lay.HAND_COUNT)
        assert came == left + row["animals_published"]
        assert row["animals_published"] == seat_cell(game, seat, lay.PUBLISHED_COUNT)


def cells_of_starts(game: Game, key: int, count: int) -> list[int]:
    """Where the cards of a kind begin the game."""
    start = int(game.tables[key])
    part: list[int] = game.tables[start : start + int(game.tables[count])].tolist()
    return part


def check_decision(game: Game) -> None:
    """Legal actions are several, different, in the buffer, and can be told apart in words."""
    limit = int(game.tables[lay.PENDING_LIMIT])
    assert 0 <= game.state[lay.PENDING_COUNT] <= limit
    if game.over:
        assert game.kind == "none"
        assert game.state[lay.PENDING_COUNT] == 0
        assert len(game.legal) == 0
        return
    assert 1 < game.count <= game.tables[lay.WORK]
    assert game.seat in seats(game)
    legal = game.legal.tolist()
    assert len(set(legal)) == len(legal)
    assert all(0 <= action < (PASS + 1) << ARGUMENT_BITS for action in legal)
    words = game.options()
    assert len(set(words)) == len(words)


def same(one: Game, other: Game) -> bool:
    """Whether two games are the same in all their arrays."""
    return one.count == other.count and all(
        np.array_equal(getattr(one.arena, name), getattr(other.arena, name)) for name in ("state", "chance", "record")
    )
