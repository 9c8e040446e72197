"""Health metrics against a slow twin, variance components against known truth, and what is planted."""

import numpy as np
import polars as pl
import pytest

from analysis.balance.answer import read, write
from analysis.balance.components import ComponentSums
from analysis.balance.filling import category_cubes, filling
from analysis.balance.gauges import HealthSums, Measuring, ratio
from analysis.balance.health import health_balance
from analysis.balance.metrics import measure, metrics_of
from analysis.balance.moments import Estimate
from analysis.balance.occurrences import occurrences_of
from analysis.balance.precision import parse_precision
from analysis.frames import Frames
from analysis.lineups import Lineups
from analysis.runs import LocalExecutor, run_games
from analysis.tournament import make_plan
from sim.record import SCORE_FIELDS

pytestmark = pytest.mark.compiled


def played(strategies, players, games, seed=2, **options):
    plan = make_plan(strategies, players, games, seed, **options)
    return plan, Frames.concatenated(list(run_games(plan)))


def slow_metrics(frames, game):
    """Measure one game the plain way."""
    seats = frames.seats.filter(pl.col("game") == game).to_dicts()
    rounds = sum(name.startswith("token_") for name in frames.games.columns)
    vp = [[seat[f"vp_round_{row}"] for seat in seats] for row in range(1, rounds + 1)]
    shares = [seat["win_share"] for seat in seats]
    found = dict.fromkeys(("drama", "drama_most", "behind", "decided", "decided_at_end"), 0.0)
    for seat, share in enumerate(shares):
        gaps = [max(row) - row[seat] for row in vp]
        since = rounds
        while since > 0 and gaps[since - 1] == 0:
            since -= 1
        found["drama"] += share * sum(gaps) / rounds
        found["drama_most"] += share * max(gaps)
        found["behind"] += share * sum(gap > 0 for gap in gaps) / rounds
        found["decided"] += share * (since + 1)
        found["decided_at_end"] += share * (since == rounds)
    for row, at_end in enumerate(vp, start=1):
        leaders = [seat for seat in range(len(seats)) if at_end[seat] == max(at_end)]
        found[f"leader_wins_{row}"] = sum(shares[seat] for seat in leaders) / len(leaders)
    totals = [seat["total"] for seat in seats]
    found["total"] = sum(totals) / len(totals)
    found["spread"] = max(totals) - min(totals)
    found["final_scoring"] = sum(seat["total"] - seat[f"vp_round_{rounds}"] for seat in seats) / len(seats)
    for number, seat in enumerate(seats):
        found[f"win_share_seat_{number}"] = seat["win_share"]
        found[f"total_seat_{number}"] = seat["total"]
    for name in {seat["strategy"] for seat in seats}:
        own = [seat for seat in seats if seat["strategy"] == name]
        if len(own) < len(seats):
            found[f"win_share_{name}"] = sum(seat["win_share"] for seat in own) / len(own)
            found[f"total_{name}"] = sum(seat["total"] for seat in own) / len(own)
    return found


@pytest.mark.parametrize("players", [2, 3])
def test_metrics_agree_with_the_plain_way(players):
    _, frames = played(["greedy", "random"], players, 24, overrides=["scoring.seal_vp=0"])
    measured = measure(frames)
    for game in range(24):
        row = measured.row(game, named=True)
        slow = slow_metrics(frames, game)
        assert {name: row[name] for name in slow} == pytest.approx(slow)
    mirror = measured.filter(pl.col("lineup") == 0)
    assert mirror["win_share_greedy"].is_nan().all()


def test_every_metric_has_a_column_a_unit_and_a_meaning():
    _, frames = played(["random"], 2, 4, overrides=["rounds=2"])
    metrics = metrics_of(2, 2, ["random"])
    assert measure(frames).columns == ["game", "block", "lineup", *(metric.name for metric in metrics)]
    assert {metric.unit for metric in metrics} == {"VP", "share", "count", "round"}
    assert all(metric.meaning for metric in metrics)


# --- the answer ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def answer():
    return health_balance(make_plan(["greedy", "random"], 3, 600, 4), looked_at=120)


def test_means_are_those_of_the_tables(answer):
    plan, frames = played(["greedy", "random"], 3, answer.about["games"], 4)
    metrics = {row["metric"]: row for row in answer["metrics"].filter(lineup="all").iter_rows(named=True)}
    assert metrics["total"]["estimate"] == pytest.approx(frames.seats["total"].mean())
    assert metrics["margin"]["estimate"] == pytest.approx(frames.games["margin"].mean())
    assert metrics["seals_used"]["estimate"] == pytest.approx(frames.seats["seals_used"].mean())
    single = answer["metrics"].filter(metric="total", lineup="greedy / greedy / random")
    number = plan.lineups.members.tolist().index([0, 0, 1])
    rows = frames.seats.filter(pl.col("lineup") == number)
    assert single["estimate"].item() == pytest.approx(rows["total"].mean())


def test_every_number_has_an_interval_around_it(answer):
    for name, frame in answer.frames.items():
        for column in frame.columns:
            low = "low" if column == "estimate" else f"{column}_low"
            high = "high" if column == "estimate" else f"{column}_high"
            if low in frame.columns:
                inside = (frame[low] <= frame[column] + 1e-12) & (frame[column] <= frame[high] + 1e-12)
                assert inside.all(), (name, column)
    assert answer["metrics"]["low"].null_count() == 0


def test_parts_add_up_to_the_score(answer):
    parts = answer["parts"]
    total = answer["metrics"].filter(lineup="all", metric="total")["estimate"].item()
    assert parts["part"].to_list() == list(SCORE_FIELDS)
    assert parts["vp"].sum() == pytest.approx(total)
    assert parts["share"].sum() == pytest.approx(1)


def test_shares_of_a_score_have_the_error_of_a_ratio():
    plan, frames = played(["random"], 2, 400)
    sums = HealthSums(plan.configuration, ["random"], plan.lineups)
    sums.add(Measuring(plan.configuration)(frames))
    parts = sums.frames()["parts"]
    seats = frames.seats.group_by("game", maintain_order=True).agg(pl.col("vp_track", "total").mean())
    track, total = (seats[name].to_numpy() for name in ("vp_track", "total"))
    ratio = track.mean() / total.mean()
    error = np.std(track - ratio * total, ddof=1) / np.sqrt(len(track)) / total.mean()
    row = parts.filter(part="vp_track").row(0, named=True)
    assert row["share"] == pytest.approx(ratio)
    assert (row["share_high"] - row["share_low"]) / 2 == pytest.approx(1.96 * error, rel=0.03)


def test_occurrences_are_counted():
    plan, frames = played(["greedy"], 2, 80)
    sums = HealthSums(plan.configuration, ["greedy"], plan.lineups)
    sums.add(Measuring(plan.configuration)(frames))
    effects = {(row["kind"], row["name"]): row for row in sums.frames()["effects"].iter_rows(named=True)}
    assert len(effects) == len(occurrences_of(plan.configuration))
    seals = frames.seats["seals_used"]
    assert effects["recorded", "seals_used"]["mean"] == pytest.approx(seals.mean())
    assert effects["recorded", "seals_used"]["seats"] == pytest.approx((seals > 0).mean())
    assert effects["track", "12"]["seats"] == pytest.approx((frames.seats["reputation"] >= 12).mean())
    experts = {expert.id: f"{expert.trigger}: {expert.effect}" for expert in plan.configuration.cards.experts}
    owned = frames.cards.filter((pl.col("kind") == "expert") & pl.col("seat").is_not_null())
    counted = owned.with_columns(pair=pl.col("id").replace_strict(experts)).group_by("pair").len()
    for pair, count in counted.iter_rows():
        assert effects["expert", pair]["mean"] == pytest.approx(count / len(frames.seats))
    shown = sum((frames.games[f"token_{row}"] == 1).sum() for row in range(1, 7))
    name = next(token.name for token in plan.configuration.cards.tokens if token.id == 1)
    assert effects["token", name]["mean"] == pytest.approx(shown / len(frames.games))


def test_category_spaces_hold_what_results_say(answer):
    plan, frames = played(["greedy", "random"], 3, 60, 4)
    cubes = category_cubes(plan, 60)
    assert (cubes > 0).sum(axis=2).ravel().tolist() == frames.seats["categories_used"].to_list()
    assert cubes.sum(axis=2).ravel().tolist() == frames.seats["cubes_scored"].to_list()
    table = filling(plan, 60)
    assert table["cubes"].to_list() == pytest.approx(cubes.mean(axis=(0, 1)).tolist())
    assert table["bonus"].to_list() == pytest.approx((cubes >= 4).mean(axis=(0, 1)).tolist())
    assert len(answer["categories"]) == 17


def test_threads_change_nothing(answer):
    plan = make_plan(["greedy", "random"], 3, 600, 4)
    again = health_balance(plan, looked_at=120, executor=LocalExecutor(1))
    for name, frame in answer.frames.items():
        assert frame.equals(again[name]), name
    assert again.findings == answer.findings


def test_an_answer_is_written_and_read(answer, tmp_path):
    write(answer, tmp_path)
    back = read("health", tmp_path)
    assert back.findings == answer.findings
    assert all(back[name].equals(frame) for name, frame in answer.frames.items())


def test_a_game_of_other_size_is_measured():
    overrides = ["rounds=2", "dice.per_player=2", "seals.per_round=2", "scoring.category_bonus=[0, 1]"]
    found = health_balance(make_plan(["random"], 2, 40, overrides=overrides), looked_at=20)
    assert found["rounds"]["round"].to_list() == [1, 2]
    assert found["components"].is_empty()
    assert len(found.findings) >= 5


def test_precision_is_reached():
    found = health_balance(make_plan(["random"], 2, 10, 3), parse_precision("1vp"), looked_at=0)
    row = found["metrics"].filter(metric="total", lineup="all").row(0, named=True)
    assert (row["high"] - row["low"]) / 2 <= 1
    assert found.about["looks"] >= 1


def test_all_intervals_have_the_level_asked_for():
    plan, frames = played(["greedy", "random"], 3, 120)
    sums = HealthSums(plan.configuration, ["greedy", "random"], plan.lineups)
    sums.add(Measuring(plan.configuration)(frames))
    narrow, wide = (sums.frames(level)["components"] for level in (0.8, 0.99))
    widths = [(table["share_high"] - table["share_low"]).to_numpy() for table in (narrow, wide)]
    assert (widths[0] <= widths[1] + 1e-12).all()
    assert widths[0].sum() < 0.8 * widths[1].sum()


def test_a_win_share_that_is_unknown_is_not_precise():
    """Only one strategy has played so far, and only itself."""
    plan, frames = played(["greedy", "random"], 2, 60)
    sums = HealthSums(plan.configuration, ["greedy", "random"], plan.lineups)
    first = pl.col("lineup") == 0
    wanted = frames.games.filter(first)["game"].implode()
    cards = frames.cards.filter(pl.col("game").is_in(wanted))
    sums.add(Measuring(plan.configuration)(Frames(frames.games.filter(first), frames.seats.filter(first), cards)))
    assert np.isnan(sums.half_width("win_share_", 0.95))
    assert sums.half_width("total", 0.95) > 0


def test_a_strategy_that_only_meets_itself_is_never_waited_for():
    plan, frames = played(["greedy"], 2, 60)
    sums = HealthSums(plan.configuration, ["greedy"], plan.lineups)
    sums.add(Measuring(plan.configuration)(frames))
    assert sums.half_width("win_share_", 0.95) > 0


def test_a_negative_part_of_a_score_has_an_interval_of_students_t():
    one, three = np.ones(1), np.array([3])
    parts, whole, both = (
        Estimate(mean * one, error * one, 2 * one, three, three) for mean, error in ((-1, 0.5), (10, 0), (9, 0.5))
    )
    found = ratio(parts, whole, both, 0.99)
    assert found["share_high"][0] - found["share"][0] == pytest.approx(9.925 * 0.05, rel=1e-3)


def test_skill_is_traced():
    plan = make_plan(["greedy"], 2, 200, 1)
    trace = health_balance(plan, looked_at=0, trace=["random", "greedy:noise=6", "greedy:noise=0"])["trace"]
    shares = trace["win_share"].to_list()
    assert trace["strategy"].to_list() == ["random", "greedy:noise=6", "greedy:noise=0"]
    assert shares[0] < 0.05 < shares[1] < 0.5
    assert shares[2] == pytest.approx(0.5)
    assert trace["vp"][2] == pytest.approx(0)


def test_a_strategy_among_copies_of_itself_wins_its_fair_share():
    trace = health_balance(make_plan(["greedy"], 3, 300, 1), looked_at=0, trace=["greedy"])["trace"]
    row = trace.row(0, named=True)
    assert row["win_share_low"] <= row["fair"] <= row["win_share_high"]
    assert row["vp_low"] <= 0 <= row["vp_high"]


def test_more_vp_for_seals_make_the_final_scoring_weigh_more():
    low, high = (
        health_balance(make_plan(["greedy"], 2, 200, overrides=[f"scoring.seal_vp={vp}"]), looked_at=0)
        for vp in (0, 12)
    )
    rows = [found["metrics"].filter(metric="final_scoring", lineup="all").row(0, named=True) for found in (low, high)]
    assert rows[0]["high"] < rows[1]["low"]


# --- luck and skill -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_variance_components_are_found(players):
    random = np.random.default_rng(1)
    lineups = Lineups.of(players, players, "distinct")
    schedule = lineups.schedule(0, lineups.rounded_up(2000 * players))
    games, luck = len(schedule.games), schedule.lucks // players
    blocks = luck.max() + 1
    strategy, seat = np.linspace(-2, 2, players), np.linspace(1, -1, players)
    deal, by_seat, by_strategy = (random.normal(0, sd, size) for sd, size in
                                  ((3, blocks), (2, (blocks, players)), (1.5, (blocks, players))))  # fmt: skip
    residual = 2.5 if players > 2 else 0.0
    total = strategy[schedule.seatings] + seat + deal[luck][:, None] + by_seat[luck]
    total = total + by_strategy[luck[:, None], schedule.seatings] + random.normal(0, residual, (games, players))
    rows = pl.DataFrame(
        {
            "lineup": lineups.of_games(schedule.games).repeat(players),
            "total": total.ravel(),
            "win_share": (total == total.max(axis=1, keepdims=True)).ravel().astype(float),
        }
    )
    sums = ComponentSums(lineups)
    sums.add(rows[: len(rows) // 2 // players**2 * players**2])
    sums.add(rows[len(rows) // 2 // players**2 * players**2 :])
    table = sums.table()
    found = {row["component"]: row for row in table.filter(measure="total").iter_rows(named=True)}
    inner = (players - 1) / players
    truth = {
        "strategy": (strategy**2).mean(),
        "seat": (seat**2).mean(),
        "deal": 9 + (4 + 2.25) / players,
        "deal × seat": 4 * inner,
        "deal × strategy": 2.25 * inner,
        "residual": residual**2,
    }
    for name, row in found.items():
        half = (row["variance_high"] - row["variance_low"]) / 2
        assert abs(row["variance"] - truth[name]) < 2 * half, name
    assert table.group_by("measure").agg(pl.col("share").sum())["share"].to_list() == pytest.approx([1, 1])
    assert ("residual" in found) == (players > 2)


def test_without_skill_there_is_none(answer):
    plan, frames = played(["random", "greedy:noise=0", "greedy"], 3, 600, lineups="distinct")
    sums = ComponentSums(plan.lineups)
    sums.add(frames.seats)
    shares = {row["component"]: row["share"] for row in sums.table().filter(measure="total").iter_rows(named=True)}
    assert shares["strategy"] > 0.5
    skilled = answer["components"].filter(measure="win_share", component="strategy")
    assert skilled["share_low"].item() > 0.2
