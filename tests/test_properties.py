"""What holds for every ruleset, card set and line-up (rules drawn by `tests.generators`)."""

import copy
import itertools
import random
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim import layout as lay
from sim.batch import Batch, Player, Results, Schedule, chunks
from sim.cardset import CardSet
from sim.chance import LUCK, SEED
from sim.config import Configuration, load_configuration
from sim.engine import BEGIN
from sim.game import Game
from sim.jit import COMPILED
from sim.ruleset import Ruleset
from sim.tables import build_tables
from tests import invariants
from tests.generators import SetUp, line_ups, set_ups
from tests.lockstep import Pair, eager_picker, engine_scores, engine_snapshot, play_pair, seat_record, win_shares
from tests.naive.model import Seat, read_animals, read_experts
from tests.naive.scoring import score
from tests.strategies_for_tests import players as strategies

Picker = Callable[[Game], int]


def begin(set_up: SetUp) -> Game:
    return Game(set_up.configuration, set_up.players, set_up.seed, set_up.luck, set_up.experiment)


def blind_picker(seed: int) -> Picker:
    rng = random.Random(seed)
    return lambda game: rng.randrange(game.count)


def finish(game: Game, pick: Picker) -> list[int]:
    """Play to the end; return the choices."""
    path = []
    while not game.over:
        path.append(pick(game))
        game.choose(path[-1])
    return path


def play_until(game: Game, pick: Picker, share: float, longest: int = 400) -> None:
    """Play a share of a game's decisions (of those a copy needs to its end)."""
    path = finish(copy.deepcopy(game), pick)
    for index in path[: int(share * min(len(path), longest))]:
        game.choose(index)


SHARES = st.floats(0, 1)


# --- one game -------------------------------------------------------------------------------------------------------


@given(set_ups())
def test_every_state_is_sound(set_up: SetUp) -> None:
    """Cards, dice, cubes, goods, counters and legal actions at every decision (`tests.invariants`)."""
    game = begin(set_up)
    pick = eager_picker(set_up.choices)
    invariants.check(game)
    while not game.over:
        game.choose(pick(game))
        invariants.check(game)
        invariants.check_turns(game)


@given(set_ups(most_players=5, with_experiments=False))
def test_the_twin_plays_every_ruleset_alike(set_up: SetUp) -> None:
    pair = Pair(set_up.configuration, set_up.players, set_up.seed, set_up.luck)
    play_pair(pair, eager_picker(set_up.choices))


@given(set_ups())
def test_a_game_ends_and_stays_over(set_up: SetUp) -> None:
    rules = set_up.configuration.ruleset
    game = begin(set_up)
    turns = rules.rounds * set_up.players * (rules.dice.per_player + rules.seals.per_round)
    cards = set_up.configuration.cards
    cubes = len(cards.animals) * len(rules.types) * (turns + 1)
    asked = rules.rounds * set_up.players * rules.dice.per_player + rules.draft.animals * set_up.players
    most = asked + turns * (8 + len(cards.animals) * (len(rules.types) + 1)) + cubes
    assert len(finish(game, eager_picker(set_up.choices))) < most
    assert game.state[lay.ROUND] == rules.rounds
    assert game.options() == []
    with pytest.raises(IndexError):
        game.choose(0)
    before = copy.deepcopy(game)
    game._step(0)
    assert game.over
    assert invariants.same(before, game)


@given(set_ups())
def test_scores_are_the_sum_of_their_parts_and_of_what_is_there(set_up: SetUp) -> None:
    game = begin(set_up)
    finish(game, eager_picker(set_up.choices))
    cards, rules = set_up.configuration.cards, set_up.configuration.ruleset
    animals = read_animals(
        [
            {"id": card.id, "continent": card.continent, **dict(zip(rules.types, card.categories, strict=True))}
            for card in cards.animals
        ],
        list(rules.types),
    )
    experts = read_experts([card.model_dump() for card in cards.experts])
    parts = [name for name in lay.SEAT_COLUMNS if name.startswith("vp_")]
    for number, (found, state) in enumerate(zip(engine_scores(game), engine_snapshot(game)["seats"], strict=True)):
        seat = Seat(number, state["spaces"], state["experts"])
        for field in ("coins", "expedition_tokens", "seals", "reputation", "vp", "published"):
            setattr(seat, field, state[field])
        seat.categories.update(state["categories"])
        assert found == score(seat, rules.model_dump(), animals, experts)
        row = dict(zip(lay.SEAT_COLUMNS, seat_record(game, number), strict=True))
        assert row["total"] == sum(row[part] for part in parts)
        assert state["animals"] == []
        assert row["categories_used"] == len(state["categories"])
        assert (row["coins_left"], row["tokens_left"]) == (state["coins"], state["expedition_tokens"])
        assert (row["seals_left"], row["reputation"]) == (state["seals"], state["reputation"])
        assert row["experts_owned"] == sum(len(pile) for pile in state["experts"])
        actions = [row[name] for name in ("embassy", "bank", "university", "academy", "expedition", "publication")]
        assert sum(actions) == rules.rounds * rules.dice.per_player + row["seals_used"]
        assert row["university"] == row["experts_hired"]
        assert row["academy"] == row["animals_taken"]
        start = game.tables[lay.R_VP_BY_ROUND] + number * rules.rounds
        assert game.arena.record[start + rules.rounds - 1] == state["vp"]
    rows = [dict(zip(lay.SEAT_COLUMNS, seat_record(game, seat), strict=True)) for seat in range(set_up.players)]
    assert sum(row["dice_taken"] for row in rows) == sum(row["dice_lost"] for row in rows)
    totals = game.totals()
    assert [row["rank"] for row in rows] == [1 + sum(other > total for other in totals) for total in totals]


@given(set_ups())
def test_bonuses_and_remakes_are_counted(set_up: SetUp) -> None:
    game = begin(set_up)
    finish(game, eager_picker(set_up.choices))
    cards, scoring = set_up.configuration.cards, set_up.configuration.ruleset.scoring
    home = {card.id: card.continent for card in (*cards.animals, *cards.experts)}

    def paying(table: tuple[int, ...], counts: Counter[str]) -> int:
        return sum(table[min(count, len(table)) - 1] > 0 for count in counts.values() if count)

    for number, state in enumerate(engine_snapshot(game)["seats"]):
        row = dict(zip(lay.SEAT_COLUMNS, seat_record(game, number), strict=True))
        assert row["categories_bonus"] == paying(scoring.category_bonus, Counter(state["categories"]))
        own = [*state["published"], *(card for pile in state["experts"] for card in pile)]
        assert row["continents_bonus"] == paying(scoring.continent_bonus, Counter(home[card] for card in own))
    record = game.arena.record
    assert record[lay.REC_ANIMAL_REMAKES] == game.state[lay.ANIMAL_REMAKES]
    assert record[lay.REC_EXPERT_REMAKES] == game.state[lay.EXPERT_REMAKES]
    assert record[lay.REC_FAULT] == lay.FAULT_NONE


@given(set_ups())
def test_the_record_of_cards_tells_what_the_log_tells(set_up: SetUp) -> None:
    """When each card was first shown, who got it, when and how, and when it was published."""
    game = begin(set_up)
    finish(game, eager_picker(set_up.choices))
    tables = game.tables
    animals, experts = int(tables[lay.ANIMALS]), int(tables[lay.EXPERTS])
    expected = np.tile([-1, -1, -1, lay.SOURCE_NONE, -1], (animals + experts, 1))
    for card, cell in enumerate(
        [
            *tables[tables[lay.T_ANIMAL_START] :][:animals].tolist(),
            *tables[tables[lay.T_EXPERT_START] :][:experts].tolist(),
        ]
    ):
        if cell >= lay.START_SEAT_0:
            expected[card, 1:4] = cell - lay.START_SEAT_0, 0, lay.SOURCE_GIFT
    sources = {
        lay.LOG_DRAFT: lay.SOURCE_DRAFT,
        lay.LOG_ACADEMY: lay.SOURCE_PLACE,
        lay.LOG_UNIVERSITY: lay.SOURCE_PLACE,
        lay.LOG_DREW: lay.SOURCE_DRAWN,
    }
    # A round's first cards are dealt before its token is revealed, with the number of that round.
    number, next_number = 0, 0
    for code, seat, first, _, _ in game.log_rows().tolist():
        card = first + (animals if code in (lay.LOG_DEAL_UNIVERSITY, lay.LOG_UNIVERSITY) else 0)
        if code in (lay.LOG_ROUND_END, lay.LOG_START):
            next_number = number + 1
        elif code == lay.LOG_ROUND:
            number = next_number
        elif code in (lay.LOG_DEAL_ACADEMY, lay.LOG_DEAL_UNIVERSITY):
            if expected[card, 0] < 0:
                expected[card, 0] = next_number
        elif code in sources:
            expected[card, 1:4] = seat, number, sources[code]
        elif code in (lay.LOG_PUBLICATION, lay.LOG_GAVE, lay.LOG_ALONG):
            expected[card, 4] = number
    start = int(tables[lay.R_ANIMALS])
    found = game.arena.record[start : start + expected.size].reshape(expected.shape)
    np.testing.assert_array_equal(found, expected)


@given(set_ups())
def test_points_by_round_and_changes_of_lead(set_up: SetUp) -> None:
    """VP are looked at after every turn; a lead changes when another seat alone has the most."""
    game = begin(set_up)
    pick = eager_picker(set_up.choices)
    rounds, seats = set_up.configuration.ruleset.rounds, range(set_up.players)
    looks: list[list[int]] = []
    ended = 0
    while True:
        while ended < (rounds if game.over else game.state[lay.ROUND] - 1):
            start = int(game.tables[lay.R_VP_BY_ROUND]) + ended
            looks.append([int(game.arena.record[start + seat * rounds]) for seat in seats])
            ended += 1
        if game.over:
            break
        if game.kind == "seal" or (game.kind == "target" and game.state[lay.PHASE] == lay.PHASE_TURN):
            looks.append([invariants.seat_cell(game, seat, lay.VP) for seat in seats])
        game.choose(pick(game))
    leaders = [points.index(max(points)) for points in looks if points.count(max(points)) == 1]
    changes = sum(one != other for one, other in itertools.pairwise(leaders))
    assert game.arena.record[lay.REC_LEAD_CHANGES] == changes


@given(set_ups())
def test_win_shares_sum_to_one(set_up: SetUp) -> None:
    game = begin(set_up)
    finish(game, blind_picker(set_up.choices))
    shares, totals = win_shares(game), game.totals()
    assert sum(shares) == pytest.approx(1)
    assert [share > 0 for share in shares] == [total == max(totals) for total in totals]


@given(set_ups(), SHARES)
def test_a_copy_is_equal_then_independent(set_up: SetUp, share: float) -> None:
    game = begin(set_up)
    play_until(game, eager_picker(set_up.choices), share)
    one, other, kept = copy.deepcopy(game), copy.deepcopy(game), copy.deepcopy(game)
    path = finish(one, eager_picker(1))
    assert invariants.same(game, kept)
    assert not path or not invariants.same(one, kept)
    finish(other, eager_picker(2))
    assert invariants.same(game, kept)
    for index in path:
        game.choose(index)
    assert invariants.same(game, one)


@given(set_ups())
def test_an_arena_used_before_leaves_no_trace(set_up: SetUp) -> None:
    """A game in arrays full of another game is the game in new ones."""
    used, new = begin(set_up), begin(set_up)
    finish(used, eager_picker(set_up.choices))
    # Cells of the log beyond its end keep what they held.
    used._step(BEGIN, set_up.seed, set_up.luck)
    finish(used, eager_picker(7))
    finish(new, eager_picker(7))
    size = int(new.tables[lay.RECORD_SIZE])
    np.testing.assert_array_equal(used.state, new.state)
    np.testing.assert_array_equal(used.arena.record[:size], new.arena.record[:size])
    np.testing.assert_array_equal(used.log_rows(), new.log_rows())


# --- what is hidden -------------------------------------------------------------------------------------------------


def hide_differently(game: Game, seed: int) -> None:
    """Put what nobody can know yet into another order: decks, tokens, everything still to be rolled or remade."""
    tables, state, chance = game.tables, game.state, game.arena.chance
    rng = np.random.default_rng(seed)
    for start, stop in (
        (
            tables[lay.C_ANIMALS] + state[lay.ANIMAL_FRONT],
            tables[lay.C_ANIMALS] + state[lay.ANIMAL_SIZE] - state[lay.ANIMAL_BACK],
        ),
        (tables[lay.C_EXPERTS] + state[lay.EXPERT_FRONT], tables[lay.C_EXPERTS] + state[lay.EXPERT_SIZE]),
        (tables[lay.C_TOKENS] + state[lay.ROUND], tables[lay.C_TOKENS] + tables[lay.TOKENS]),
    ):
        chance[start:stop] = rng.permutation(chance[start:stop])
    chance[SEED] = rng.integers(2**63)
    chance[LUCK] = rng.integers(2**63)


@given(set_ups(), SHARES, st.integers(0, 2**32))
def test_what_is_hidden_is_not_in_the_state(set_up: SetUp, share: float, seed: int) -> None:
    """As long as two games look the same, a strategy is shown the same, whatever chance still holds."""
    game = begin(set_up)
    play_until(game, eager_picker(set_up.choices), share)
    other = copy.deepcopy(game)
    hide_differently(other, seed)
    pick = eager_picker(3)
    while np.array_equal(game.log_rows(), other.log_rows()):
        np.testing.assert_array_equal(game.state, other.state)
        np.testing.assert_array_equal(game.legal, other.legal)
        if game.over:
            break
        index = pick(game)
        game.choose(index)
        other.choose(index)


def test_a_game_that_begins_alike_looks_alike(standard: Configuration) -> None:
    """Lucks that show the same cards at first give the same first state."""
    rules = standard.ruleset.model_dump() | {"players": {"fewest": 2, "most": 2}}
    rules["draft"] = {"animals": 1}
    rules["display"] = {"experts": 1, "animals": (2,)}
    cards = standard.cards
    few = CardSet(animals=cards.animals[::15], experts=cards.experts[::20], tokens=cards.tokens)
    configuration = Configuration(ruleset=Ruleset.model_validate(rules), cards=few)
    looks: dict[bytes, bytes] = {}
    alike = 0
    for luck in range(300 if COMPILED else 60):
        game = Game(configuration, 2, 5, luck)
        look, state = game.log_rows().tobytes(), game.state.tobytes()
        alike += look in looks
        assert looks.setdefault(look, state) == state
    assert alike > 0


# --- names mean nothing ---------------------------------------------------------------------------------------------


def renamed(configuration: Configuration) -> Configuration:
    """The same game with other ids and names for everything."""
    rules, cards = configuration.ruleset.model_dump(mode="json"), configuration.cards
    continents = {name: f"land {n}" for n, name in enumerate(reversed(rules["continents"]["names"]))}
    types = {name: f"kind {n}" for n, name in enumerate(reversed(list(rules["types"])))}
    rules["name"] = "renamed"
    rules["continents"]["names"] = [continents[name] for name in rules["continents"]["names"]]
    rules["types"] = {
        types[name]: kind | {"categories": [f"other {item}" for item in kind["categories"]]}
        for name, kind in rules["types"].items()
    }

    def filtered(text: str | None) -> str | None:
        if text is None or text.isdigit():
            return text
        name, _, category = text.partition(":")
        return f"{types[name]}:other {category}" if category else (continents | types)[text]

    return Configuration(
        ruleset=Ruleset.model_validate(rules),
        cards=CardSet(
            animals=tuple(
                card.model_copy(
                    update={
                        "id": 100_000 - card.id,
                        "name": "x",
                        "continent": continents[card.continent],
                        "categories": tuple(f"other {item}" for item in card.categories),
                    }
                )
                for card in cards.animals
            ),
            experts=tuple(
                card.model_copy(
                    update={
                        "id": 100_000 - card.id,
                        "continent": continents[card.continent],
                        "trigger_continent": card.trigger_continent and continents[card.trigger_continent],
                        "effect_filter": filtered(card.effect_filter),
                    }
                )
                for card in cards.experts
            ),
            tokens=tuple(card.model_copy(update={"id": 1000 - card.id}) for card in cards.tokens),
        ),
    )


@given(set_ups(with_experiments=False))
def test_names_and_ids_change_nothing(set_up: SetUp) -> None:
    game, other = begin(set_up), Game(renamed(set_up.configuration), set_up.players, set_up.seed, set_up.luck)
    pick = blind_picker(set_up.choices)
    while not game.over:
        index = pick(game)
        game.choose(index)
        other.choose(index)
    assert invariants.same(game, other)


# --- many games -----------------------------------------------------------------------------------------------------

CROWD = {
    "random_choice": strategies.random_choice,
    "by_the_book": strategies.by_the_book,
    "first": strategies.first,
    "last": strategies.last,
}
COLUMNS = ("games", "tokens", "seats", "vp_by_round", "cards")


@pytest.fixture(scope="module")
def crowd() -> dict[str, Player]:
    return {name: strategies.make_player(function) for name, function in CROWD.items()}


def play(
    tables: np.ndarray, who: list[Player], seatings: list[list[int]], lucks: list[int], threads: int
) -> list[Results]:
    """Play a game for each seating and luck."""
    count = len(lucks)
    schedule = Schedule(np.arange(count), np.array(lucks, dtype=np.int64), np.array(seatings, dtype=np.int32))
    return list(Batch(tables, who, 5, threads=threads).run(chunks(schedule, 3)))


@settings(max_examples=min(10, settings.default.max_examples))
@given(st.data())
def test_results_follow_players_however_they_are_listed(crowd: dict[str, Player], data: st.DataObject) -> None:
    """The order of the list of players is a matter of names; who sits where on which luck is all that counts."""
    count = data.draw(st.integers(2, 4))
    tables = build_tables(load_configuration(), count)
    names = data.draw(st.lists(line_ups(list(CROWD), count), min_size=1, max_size=7))
    lucks = data.draw(st.lists(st.integers(0, 50), min_size=len(names), max_size=len(names)))
    orders = [data.draw(st.permutations(list(CROWD))) for _ in range(2)]
    found = [
        play(
            tables,
            [crowd[name] for name in order],
            [[order.index(name) for name in line_up] for line_up in names],
            lucks,
            threads,
        )
        for order, threads in zip(orders, (1, 2), strict=True)
    ]
    for one, other in zip(*found, strict=True):
        for column in COLUMNS:
            np.testing.assert_array_equal(getattr(one, column), getattr(other, column))


@settings(max_examples=min(10, settings.default.max_examples))
@given(st.data())
def test_seats_that_play_alike_make_rotations_alike(crowd: dict[str, Player], data: st.DataObject) -> None:
    """Luck belongs to seats: rotating a line-up of equals, or exchanging two that play alike, changes nothing."""
    count = data.draw(st.integers(2, 4))
    tables = build_tables(load_configuration(), count)
    name = data.draw(st.sampled_from(list(CROWD)))
    twins = [crowd[name], strategies.make_player(CROWD[name], "twin")]
    lucks = [data.draw(st.integers(0, 50))] * 3
    mask = data.draw(st.lists(st.integers(0, 1), min_size=count, max_size=count))
    seatings = [mask, mask[1:] + mask[:1], [1 - who for who in mask]]
    (result,) = play(tables, twins, seatings, lucks, 1)
    totals = result.seats[lay.REC_TOTAL].reshape(3, count)
    assert (totals == totals[0]).all()


@settings(max_examples=min(15, settings.default.max_examples))
@given(set_ups(with_experiments=True))
def test_a_batch_plays_what_a_game_plays(crowd: dict[str, Player], set_up: SetUp) -> None:
    """Step by step from Python or in one go: the same record."""
    tables = build_tables(set_up.configuration, set_up.players, set_up.experiment)
    schedule = Schedule(np.array([0]), np.array([set_up.luck]), np.zeros((1, set_up.players), dtype=np.int32))
    result = Batch(tables, [crowd["by_the_book"]], set_up.seed, threads=1).play(schedule)
    game = begin(set_up)
    plies = 0
    while not game.over:
        mixed = 0
        for cell in game.state.tolist():
            mixed = (mixed * 31 + cell) % 1_000_003
        game.choose(mixed % game.count)
        plies += 1
    assert result.games[0, 0] == plies
    for seat in range(set_up.players):
        assert result.seats[:, seat].tolist() == seat_record(game, seat)
    wins = [1 / ties if ties else 0 for ties in result.seats[lay.REC_WIN_TIES].tolist()]
    assert sum(wins) == pytest.approx(1)


@given(set_ups())
def test_steps_of_a_used_buffer_need_no_cleaning(set_up: SetUp) -> None:
    """What an actions buffer holds beyond the legal actions is never read."""
    game, other = begin(set_up), begin(set_up)
    pick = eager_picker(set_up.choices)
    while not game.over:
        index = pick(game)
        game.choose(index)
        action = int(other.arena.actions[index])
        other.arena.actions[:] = -7
        other._step(action)
        np.testing.assert_array_equal(game.legal, other.legal)
    assert invariants.same(game, other)
