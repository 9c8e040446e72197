"""The main job from Python: frames, their schema, and that nothing but what is asked for changes them."""

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from analysis.columns import TABLES, joined
from analysis.explain import Thoughts, play_game
from analysis.frames import Frames
from analysis.lineups import Lineups, luck_of
from analysis.pace import shard_games
from analysis.parquet import encode, join, metadata_of
from analysis.planning import forecast
from analysis.runs import LocalExecutor, Plan, run_games
from analysis.tournament import Tournament, make_plan, tournament
from sim import record
from sim.batch import Schedule
from sim.config import Configuration, load_configuration
from sim.errors import InputError, RunError
from sim.tables import Experiment

pytestmark = pytest.mark.compiled

GAMES = 480
FIRST = str(Path(__file__).parent / "strategies_for_tests" / "players.py") + ":first"
POOL = ("random", FIRST)


@pytest.fixture(scope="module")
def played() -> Tournament:
    return tournament(POOL, players=4, games=480, seed=7)


def plan_of(games: int = 480, **options: Any) -> Plan:
    return make_plan(POOL, players=4, games=games, seed=7, **options)


def frames_of(plan: Plan, **options: Any) -> Frames:
    return Frames.concatenated(list(run_games(plan, LocalExecutor(**options))))


def assert_equal(found: Frames | Tournament, wanted: Frames | Tournament) -> None:
    for table in TABLES:
        assert_frame_equal(getattr(found, table), getattr(wanted, table))


# --- what is in the frames ------------------------------------------------------------------------------------------


def test_games_have_a_row_each_and_know_their_seating(played: Tournament) -> None:
    games, lineups = played.games, Lineups.of(2, 4)
    assert games["game"].to_list() == list(range(480))
    seatings = games.select(f"strategy_{seat}" for seat in range(4))
    for row, seating in zip(games.iter_rows(named=True), seatings.iter_rows(), strict=True):
        order = [POOL[index] for index in lineups.members[row["lineup"]]]
        turn = row["seating"]
        assert list(seating) == order[turn:] + order[:turn]
        assert row["block"] == luck_of(row["game"], seating)


def test_seats_agree_with_games(played: Tournament) -> None:
    seats = played.seats.join(played.games, on="game", suffix="_game")
    assert len(seats) == 4 * 480
    for column in ("block", "lineup"):
        assert (seats[column] == seats[f"{column}_game"]).all()
    for seat in range(4):
        of_seat = seats.filter(pl.col("seat") == seat)
        assert (of_seat["strategy"] == of_seat[f"strategy_{seat}"]).all()
    best = played.seats.group_by("game", maintain_order=True).agg(
        best=pl.col("total").max(),
        margin=pl.col("total").max() - pl.col("total").sort().slice(-2, 1).first(),
        winners=(pl.col("win_share") > 0).sum(),
        winner=pl.col("seat").filter(pl.col("win_share") == 1).first(),
    )
    assert (best["best"] == played.games["best_total"]).all()
    assert (best["margin"] == played.games["margin"]).all()
    assert (best["winners"] == played.games["winners"]).all()
    assert best["winner"].eq_missing(played.games["winner"]).all()


def test_win_shares_sum_to_1_and_go_to_the_best(played: Tournament) -> None:
    sums = played.seats.group_by("game").agg(pl.col("win_share").sum())["win_share"].to_numpy()
    assert np.allclose(sums, 1)
    best = pl.col("total") == pl.col("total").max().over("game")
    assert played.seats.select(((pl.col("win_share") > 0) == best).all()).item()
    assert played.seats.select(((pl.col("rank") == 1) == best).all()).item()


def test_the_parts_of_a_score_add_up(played: Tournament) -> None:
    assert played.seats.select((pl.sum_horizontal(record.SCORE_FIELDS) == pl.col("total")).all()).item()


def test_goods_add_up(played: Tournament) -> None:
    left = {
        "coins_left": pl.col("coins_gained") - pl.col("coins_spent") - pl.col("coins_lost"),
        "expedition_tokens_left": pl.col("expedition_tokens_gained") - pl.col("expedition_tokens_spent"),
        "seals_left": pl.col("seals_gained") - pl.col("seals_used"),
        "animals_left": pl.col("animals_drafted")
        + pl.col("animals_taken")
        + pl.col("animals_drawn")
        - pl.col("animals_published"),
        "experts_owned": pl.col("experts_hired"),
    }
    for column, balance in left.items():
        assert played.seats.select((pl.col(column) == balance).all()).item(), column
    by_game = played.seats.group_by("game").agg(pl.col("dice_taken", "dice_lost").sum())
    assert (by_game["dice_taken"] == by_game["dice_lost"]).all()


def test_cards_agree_with_seats(played: Tournament) -> None:
    animals = played.cards.filter(pl.col("kind") == "animal")
    counts = animals.filter(pl.col("seat").is_not_null()).group_by("game", "seat").agg(
        animals_drafted=(pl.col("how") == "draft").sum(),
        animals_taken=(pl.col("how") == "place").sum(),
        animals_drawn=(pl.col("how") == "drawn").sum(),
        animals_published=pl.col("published").is_not_null().sum(),
    )  # fmt: skip
    both = played.seats.join(counts, on=["game", "seat"], suffix="_cards")
    assert len(both) == len(played.seats)
    for column in ("animals_drafted", "animals_taken", "animals_drawn", "animals_published"):
        # A card that came back from the discards is remembered for its last owner only.
        assert (both[column] >= both[f"{column}_cards"]).all()
    assert (both["animals_drafted"] == 2).all()
    named = animals.join(played.seats, on=["game", "seat"], suffix="_seat")
    assert (named["strategy"] == named["strategy_seat"]).all()


def test_cards_carry_the_card_sets_names_and_ids(played: Tournament, standard: Configuration) -> None:
    for kind, cards in (("animal", standard.cards.animals), ("expert", standard.cards.experts)):
        found = played.cards.filter(pl.col("kind") == kind).select("id", "name").unique()
        assert set(found.iter_rows()) <= {(card.id, card.name) for card in cards}
    never = played.cards.filter(pl.col("seat").is_null())
    assert never["strategy"].is_null().all()
    assert never["taken"].is_null().all()
    assert never["how"].is_null().all()
    assert never["shown"].is_not_null().all()


def test_tokens_are_those_of_the_card_set(played: Tournament, standard: Configuration) -> None:
    rounds = standard.ruleset.rounds
    tokens = played.games.select(f"token_{number}" for number in range(1, rounds + 1))
    ids = {token.id for token in standard.cards.tokens}
    for row in tokens.iter_rows():
        assert set(row) <= ids
        assert len(set(row)) == rounds


def test_blocks_share_their_luck(played: Tournament) -> None:
    tokens = [f"token_{number}" for number in range(1, 7)]
    assert played.games.group_by("block").agg(pl.col(tokens).n_unique()).select(pl.col(tokens).max()).row(0) == (1,) * 6
    first = played.cards.filter(pl.col("shown") == 0).select("game", "kind", "id").sort("game", "kind", "id")
    shown = first.join(played.games.select("game", "block"), on="game").group_by("game", "block").agg("id")
    assert shown.group_by("block").agg(pl.col("id").n_unique())["id"].max() == 1


def test_every_recorded_column_is_documented(played: Tournament) -> None:
    text = (Path(__file__).parents[1] / "docs" / "results.md").read_text()
    for table in TABLES:
        for column in getattr(played, table).columns:
            name = column.rstrip("0123456789")
            assert f"`{column}`" in text or f"`{name}" in text, f"{table}: {column}"
    for field in record.SEAT_FIELDS[3:]:
        assert f"| `{field.name}` | {field.meaning} |" in text


# --- the summary ----------------------------------------------------------------------------------------------------


def test_the_summary_is_the_mean_of_the_frames(played: Tournament) -> None:
    mixed = Lineups.of(2, 4).is_mixed.nonzero()[0].tolist()
    by_strategy = played.summary.by_strategy
    means = (
        played.seats.filter(pl.col("lineup").is_in(mixed))
        .group_by("strategy")
        .agg(pl.col("win_share", "total", "rank").mean(), games=pl.col("game").n_unique())
        .sort("strategy")
    )
    for column in means.columns:
        assert by_strategy[column].to_list() == pytest.approx(means[column].to_list())
    assert sum(played.summary.by_seat["win_share"]) == pytest.approx(1)
    assert played.summary.games == 480
    assert played.summary.blocks == played.games["block"].n_unique()
    assert len(played.summary.by_lineup) == 2 * 4 + 2


def test_mirror_lineups_alone_are_summarised_too() -> None:
    summary = tournament(["random"], players=2, games=40, seed=1).summary
    assert summary.by_strategy["win_share"].to_list() == [0.5]
    assert summary.by_strategy["win_share_low"].to_list() == [0.5]


# --- what must not change anything ----------------------------------------------------------------------------------


def test_neither_threads_nor_shards_nor_chunks_change_the_frames(played: Tournament) -> None:
    assert_equal(frames_of(plan_of(), threads=1), played)
    assert_equal(frames_of(replace(plan_of(), shard_games=64), threads=2), played)
    assert_equal(frames_of(replace(plan_of(), shard_games=7), threads=3), played)


def test_a_longer_run_begins_with_the_shorter_one(played: Tournament) -> None:
    longer = frames_of(plan_of(960))
    for table in TABLES:
        wanted = getattr(played, table)
        assert_frame_equal(longer.table(table)[: len(wanted)], wanted)


def test_a_strategy_more_in_the_pool_changes_no_game_of_the_others(played: Tournament) -> None:
    """A game is settled by seed, number and who sits where: any row can be played again."""
    configuration = load_configuration()
    for game in (0, 101, 250, 479):
        seats = played.seats.filter(pl.col("game") == game)
        events = play_game(configuration, seats["strategy"].to_list(), seed=7, game=game)
        assert [seat["total"] for seat in events[-1]["seats"]] == seats["total"].to_list()
        assert events[-1]["win_share"] == seats["win_share"].to_list()


def test_cards_left_out_change_nothing_else(played: Tournament) -> None:
    without = tournament(POOL, players=4, games=480, seed=7, record_cards=False)
    assert_frame_equal(without.games, played.games)
    assert_frame_equal(without.seats, played.seats)
    assert len(without.cards) == 0
    assert without.cards.schema == played.cards.schema


def test_seeds_change_everything(played: Tournament) -> None:
    other = tournament(POOL, players=4, games=480, seed=8)
    assert not other.seats["total"].equals(played.seats["total"])


@pytest.mark.parametrize("players", [2, 3, 4])
def test_any_number_of_players(players: int) -> None:
    found = tournament(POOL, players=players, games=30, seed=1)
    assert len(found.seats) == players * len(found.games)
    assert found.summary.by_seat["seat"].to_list() == list(range(players))
    for frames in run_games(replace(make_plan(POOL, players, 30, 1), shard_games=10)):
        assert frames.games["block"][0] == frames.games["game"][0], "a shard begins with a block"


def test_other_rulesets_change_the_columns() -> None:
    found = tournament(["random"], players=2, games=4, overrides=["rounds=3"])
    assert "token_3" in found.games.columns
    assert "token_4" not in found.games.columns
    assert "vp_round_4" not in found.seats.columns


def test_an_experiment_is_played() -> None:
    found = tournament(["random"], players=2, games=40, experiment=Experiment(banned_animals=[3], given_experts={7: 1}))
    assert found.cards.filter((pl.col("kind") == "animal") & (pl.col("id") == 3)).is_empty()
    given = found.cards.filter((pl.col("kind") == "expert") & (pl.col("id") == 7))
    assert given["seat"].to_list() == [1] * 40
    assert set(given["how"]) == {"gift"}


def test_results_joined_are_results_played_at_once() -> None:
    plan = plan_of()
    batch = plan.batch(1)
    whole = batch.play(plan.lineups.schedule(0, 48))
    parts = [batch.play(plan.lineups.schedule(start, start + 16)) for start in (0, 16, 32)]
    again = joined(parts)
    for name in ("games", "tokens", "seats", "vp_by_round", "cards"):
        assert np.array_equal(getattr(again, name), getattr(whole, name))
    assert_equal(plan.framer.frames(parts), plan.framer.frames([whole]))


def test_frames_without_rows_have_the_same_columns(played: Tournament) -> None:
    empty = plan_of().framer.empty()
    for table in TABLES:
        assert empty.table(table).schema == getattr(played, table).schema


def test_two_cards_may_have_one_name(standard: Configuration) -> None:
    animals = list(standard.cards.animals)
    animals[1] = animals[1].model_copy(update={"name": animals[0].name})
    cards = standard.cards.model_copy(update={"animals": tuple(animals)})
    changed = Configuration(ruleset=standard.ruleset, cards=cards)
    found = tournament(["random"], players=4, games=40, configuration=changed).cards
    assert set(found.filter(pl.col("name") == animals[0].name)["id"]) == {animals[0].id, animals[1].id}


# --- bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"strategies": []}, "none given"),
        ({"strategies": ["random", "random"]}, "given 2 times"),
        ({"strategies": ["nobody"]}, "nobody"),
        ({"players": 5}, "allows 2 to 4"),
        ({"players": 1}, "allows 2 to 4"),
        ({"seed": -1}, "allowed: 0 to"),
        ({"games": 0}, "allowed: 1 or more"),
        ({"overrides": ["coins.offset=2"]}, "coins.offset"),
        ({"ruleset": "nothing"}, "ruleset 'nothing' not found"),
    ],
)
def test_what_cannot_be_used_is_refused(changes: dict[str, Any], said: str) -> None:
    arguments: dict[str, Any] = {"strategies": ["random"], "players": 2, "games": 4, **changes}
    with pytest.raises(InputError, match=said):
        tournament(**arguments)


# --- parquet --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def files(played: Tournament, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every table as one file that was joined from three."""
    folder, plan = tmp_path_factory.mktemp("parquet"), plan_of()
    paths = {table: folder / f"{table}.parquet" for table in TABLES}
    parts: dict[str, list[Path]] = {table: [] for table in TABLES}
    for number, (start, stop) in enumerate(itertools.pairwise([0, 100, 104, GAMES])):
        frames = plan.framer.frames([plan.batch(1).play(plan.lineups.schedule(start, stop))])
        for table in TABLES:
            parts[table].append(folder / f"{table}-{number}.parquet")
            parts[table][-1].write_bytes(encode(frames, table))
    for table in TABLES:
        join(parts[table], paths[table], {"encyclopedia": '{"seed": 7}'})
    return paths


@pytest.mark.parametrize("table", TABLES)
def test_polars_reads_what_was_written(files: dict[str, Path], played: Tournament, table: str) -> None:
    assert_frame_equal(pl.read_parquet(files[table]), getattr(played, table))
    assert_frame_equal(pl.scan_parquet(files[table]).collect(), getattr(played, table))
    assert metadata_of(files[table]) == '{"seed": 7}'


@pytest.mark.parametrize("table", TABLES)
def test_pandas_reads_what_was_written(files: dict[str, Path], played: Tournament, table: str) -> None:
    wanted: pl.DataFrame = getattr(played, table)
    found = pd.read_parquet(files[table])
    assert list(found.columns) == wanted.columns
    for column in wanted.columns:
        values = found[column].astype(object).where(found[column].notna(), None)
        assert values.tolist() == wanted[column].to_list(), column


@pytest.mark.parametrize("table", TABLES)
def test_duckdb_reads_what_was_written(files: dict[str, Path], played: Tournament, table: str) -> None:
    wanted: pl.DataFrame = getattr(played, table)
    found = duckdb.sql(f"select * from '{files[table]}'").pl()
    words = [name for name, kind in wanted.schema.items() if kind == pl.Enum]
    assert_frame_equal(found, wanted.with_columns(pl.col(words).cast(pl.String)))


def test_files_that_do_not_fit_are_not_joined(tmp_path: Path) -> None:
    one, other, torn = tmp_path / "one", tmp_path / "other", tmp_path / "torn"
    pl.DataFrame({"a": [1]}).write_parquet(one)
    pl.DataFrame({"b": [1]}).write_parquet(other)
    torn.write_bytes(one.read_bytes()[:-9])
    with pytest.raises(RunError, match="cannot be joined"):
        join([one, other], tmp_path / "out", {})
    with pytest.raises(RunError, match="cannot be joined"):
        join([torn], tmp_path / "out", {})


# --- planning, thoughts ---------------------------------------------------------------------------------------------


def test_a_forecast_is_about_right() -> None:
    found = forecast(plan_of(4800), seconds=0.2)
    assert found.games == 4800
    assert 20 < found.bytes_per_game["seats"] < 500
    assert set(found.half_widths) == set(POOL)
    summary = tournament(POOL, players=4, games=4800, seed=3, record_cards=False).summary
    for name, low, high in summary.by_strategy.select("strategy", "win_share_low", "win_share_high").iter_rows():
        assert found.half_widths[name] == pytest.approx((high - low) / 2, rel=0.5)
    half = max(found.half_widths.values())
    assert found.games_for(half / 2) == pytest.approx(4 * 4800, rel=0.01)


def test_shards_hold_ten_seconds_at_most() -> None:
    assert shard_games(1e6) == 8192
    assert shard_games(100) == 1000
    assert shard_games(0.1) == 64


def test_thoughts_are_told_before_what_they_led_to() -> None:
    thoughts = Thoughts(["random", FIRST])
    events = play_game(load_configuration(), ["random", FIRST], seed=1, game=5, on_decision=thoughts.note)
    lines = [line.text for line in thoughts.told(events)]
    draft = next(place for place, text in enumerate(lines) if "takes" in text and FIRST in text)
    asked = [place for place, text in enumerate(lines) if text.startswith("  ? seat 1, draft")]
    assert len(asked) == 2
    assert max(asked) < draft
    assert sum(text.startswith("  ? ") for text in lines) > 100


def test_a_failing_strategy_is_named_and_earlier_shards_are_there() -> None:
    bad = str(Path(__file__).parent / "strategies_for_tests" / "players.py") + ":out_of_range"
    plan = make_plan(["random", bad], players=2, games=400, seed=1)
    games = []
    with pytest.raises(RunError, match="out_of_range"):  # noqa: PT012 - what comes before the error counts
        for frames in run_games(replace(plan, shard_games=2), LocalExecutor(1)):
            games += frames.games["game"].to_list()
    assert games == [0, 1], "the first two games are mirror games of the good one"


def test_schedules_are_what_the_engine_takes() -> None:
    schedule = Lineups.of(2, 3).schedule(0, 9)
    assert isinstance(schedule, Schedule)
    assert schedule.seatings.dtype == np.int32
