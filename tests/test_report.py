"""Pages: whole, safe, and drawn by a real browser."""

import json
import os
import re
import shutil
import subprocess
from html.parser import HTMLParser

import polars as pl
import pytest

from analysis.balance.actions import action_balance
from analysis.balance.answer import Answer, write
from analysis.balance.health import health_balance
from analysis.balance.seats import seat_balance
from analysis.charts.answers import pictures_of
from analysis.cli.main import run
from analysis.compare import compare, pair_of
from analysis.identity import identity_of
from analysis.ladder import ladder, ladder_plan
from analysis.report import answers_in, page_of, report
from analysis.runs import LocalExecutor
from analysis.store import hold, play
from analysis.tournament import make_plan
from sim.errors import InputError, RunError

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--enable-logging=stderr",
    "--virtual-time-budget=60000",
)  # fmt: skip

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def answers():
    strategies = ["greedy", "random"]
    plan = make_plan(strategies, 3, 120, 1)
    return [
        seat_balance(plan),
        health_balance(plan, looked_at=24, trace=["greedy:noise=4"]),
        action_balance(make_plan(strategies, 3, 30, 1), without=["bank", "seals"]),
        compare(*pair_of("standard", "bank.coins=7", strategies, 3, 120, 1)),
        ladder(ladder_plan(strategies, 2, 60, 1)),
    ]


@pytest.fixture(scope="module")
def folder(answers, tmp_path_factory):
    """A results folder with a tournament and several answers."""
    place = tmp_path_factory.mktemp("results")
    plan = make_plan(["greedy", "random"], 2, 60, 1)
    named = {"lineups": "all", "card set": "standard", "overrides": []}
    with hold(place, plan, identity_of(plan, named), command="encyclopedia tournament greedy random") as run:
        play(run, plan, LocalExecutor())
    for answer in answers:
        write(answer, place, command=f"encyclopedia balance {answer.question}")
    return place


@pytest.fixture(scope="module")
def page(folder):
    return report(folder)


class Parts(HTMLParser):
    """What a page holds: what it would load, its headings, its items."""

    def __init__(self):
        super().__init__()
        self.loads, self.items, self.headings = [], [], []
        self._in = ""

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("src", "href", "srcset", "data", "action") and not (value or "").startswith("#"):
                self.loads.append((tag, value))
        self._in = tag

    def handle_data(self, data):
        if self._in in ("li", "h2", "h3") and data.strip():
            (self.items if self._in == "li" else self.headings).append(data.strip())


def parts_of(page):
    parts = Parts()
    parts.feed(page.read_text(encoding="utf-8"))
    return parts


def test_findings_come_first_and_everything_is_there(page, answers):
    parts = parts_of(page)
    assert parts.headings[0] == "What was found"
    assert parts.headings[-1] == "What it was computed on"
    for answer in answers:
        for line in answer.findings:
            assert line in parts.items
    for title in ("Tournament", "Seats", "Health of the game", "Restricted play", "Comparison", "Ladder"):
        assert title in parts.headings


def test_nothing_is_loaded_from_anywhere(page):
    assert parts_of(page).loads == []
    text = page.read_text(encoding="utf-8")
    assert "default-src 'none'" in text


def test_what_it_was_computed_on_is_said(page):
    text = page.read_text(encoding="utf-8")
    for word in ("program version", "ruleset hash", "cards hash", "seed", "blocks", "weights: greedy"):
        assert word in text
    assert "encyclopedia balance compare" in text


def test_the_tournament_is_measured_too(folder):
    answer = answers_in(folder)[0]
    assert answer.question == "tournament"
    assert {"strategies", "seats", "course", "histogram", "rounds", "parts"} <= answer.frames.keys()
    assert answer["histogram"].group_by("strategy").agg(pl.col("share").sum())["share"].to_list() == pytest.approx(
        [1, 1]
    )
    assert answer["course"]["round"].max() == 6
    assert not any("measured on the first" in line for line in answer.findings)


def test_what_is_measured_on_the_first_games_says_so(folder, monkeypatch):
    monkeypatch.setattr("analysis.report._MOST_MEASURED", 20)
    monkeypatch.setattr("analysis.report._READ_BLOCKS", 20)
    findings = answers_in(folder)[0].findings
    said = [line for line in findings if "measured on the first" in line]
    assert said == ["All that follows is measured on the first 18 of 60 games."]
    assert findings.index(said[0]) == 2, "behind what is of all games"


def test_every_chart_is_a_specification_with_its_data(answers):
    for answer in answers:
        pictures = pictures_of(answer)
        assert pictures, answer.question
        for picture in pictures:
            spec = picture.chart.to_dict()
            assert picture.title
            assert picture.caption
            assert "datasets" in spec


def test_names_cannot_break_the_page():
    evil = '</script><img src="http://example.org/x.png" onerror="alert(1)">'
    rows = pl.DataFrame({"name": [evil, "b"], "estimate": [1.0, 2.0], "low": [0.5, 1.5], "high": [1.5, 2.5]})
    text = page_of([Answer("unheard_of", (evil,), {"rows": rows}, {"strategies": [evil], "players": 2, "games": 1})])
    assert '<img src="http' not in text
    assert "example.org" not in text.split('id="charts"')[0].replace("&lt;img src=&#34;http://example.org", "")
    specs = re.search(r'<script id="charts" type="application/json">(.*?)</script>', text, re.DOTALL)
    assert evil in json.dumps(json.loads(specs[1]), ensure_ascii=False).replace('\\"', '"')


def test_a_question_nobody_knows_gets_tables_and_charts():
    rows = pl.DataFrame(
        {
            "measure": ["vp", "vp", "share", "share"], "seat": [0, 1, 0, 1],
            "estimate": [1.0, 2.0, 0.3, None], "low": [0.5, 1.5, 0.2, None], "high": [1.5, 2.5, 0.4, None],
        }
    )  # fmt: skip
    answer = Answer("unheard_of", ("Something.",), {"rows": rows, "others": pl.DataFrame({"a": [1]})}, {})
    assert [picture.title for picture in pictures_of(answer)] == ["Rows"]
    assert "Table: others (1 rows)" in page_of([answer])


def test_folders_without_results_are_refused(tmp_path):
    with pytest.raises(InputError, match="no such folder"):
        report(tmp_path / "nowhere")
    (tmp_path / "notes.json").write_text("{}")
    with pytest.raises(InputError, match="no results there"):
        report(tmp_path)


def test_a_page_that_cannot_be_written_is_an_error(tmp_path):
    write(Answer("unheard_of", ("Something.",), {"rows": pl.DataFrame({"a": [1]})}, {}), tmp_path / "results")
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="cannot be written"):
        report(tmp_path / "results", tmp_path / "file" / "page.html")


def test_commands_write_what_the_page_is_made_of(tmp_path, capsys):
    out = str(tmp_path / "results")
    common = ["--players", "2", "--quiet", "--seed", "2"]
    for words in (
        ["compare", "standard", "bank.coins=6", "-S", "random", "--games", "40", "--all", "--out", out],
        ["balance", "actions", "random", "--without", "bank", "--games", "20", "--out", out],
        ["balance", "strategies", "greedy", "random", "--games", "40", "--out", out],
        ["balance", "health", "random", "--games", "40", "--trace", "greedy", "--out", out],
        ["ladder", "greedy", "random", "--games", "40", "--profile", "--out", out],
    ):
        assert run([*words, *common]) == 0, words
    text = capsys.readouterr().out
    for word in (
        "Every metric",
        "Without it",
        "Match-ups",
        "How far skill reaches",
        "Share of actions",
    ):
        assert word in text
    assert run(["report", out, "--quiet"]) == 0
    page = capsys.readouterr().out.strip()
    assert page == str(tmp_path / "results" / "report.html")
    # What is there already is kept.
    assert run(["ladder", "greedy", "random", "--games", "40", "--out", out, *common]) == 2
    assert "holds ladder.json already" in capsys.readouterr().err


def test_a_ladder_is_printed_as_markdown(capsys):
    words = ["ladder", "greedy", "random", "balanced", "--leave-out", "balanced", "--games", "20", "--markdown"]
    assert run([*words, "--quiet"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("| strategy | points |") for line in lines)
    assert any(line.startswith("| greedy |") for line in lines)
    assert run(["ladder", "greedy", "random", "--leave-out", "balanced"]) == 2


def test_commands_refuse_what_cannot_be(capsys):
    for words, said in (
        (["compare", "standard"], "Missing argument"),
        (["compare", "standard", "bank.coin=6"], "bank.coin"),
        (["compare", "standard", "standard", "--precision", "5"], "write half the width"),
        (["balance", "actions", "greedy", "--without", "bnk"], "allowed: embassy"),
        (["balance", "strategies", "greedy"], "at least 2 strategies"),
        (["report", "/nowhere"], "no such folder"),
    ):
        assert run([*words, "--quiet"]) == 2, words
        assert said in " ".join(capsys.readouterr().err.split()), words


# --- in a browser -------------------------------------------------------------------------------------------------


def browser():
    """Path of a browser; None without one."""
    wanted = os.environ.get("ENCYCLOPEDIA_BROWSER")
    return wanted or next((found for found in map(shutil.which, BROWSERS) if found), None)


def looked_at(page, tmp_path):
    """What a browser makes of a page: the document after its scripts ran, and what its console said."""
    found = browser()
    if found is None:
        pytest.skip(f"no browser found to look at the page with: install one of {', '.join(BROWSERS)}")
    command = [found, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def test_a_browser_draws_every_chart_without_complaint(page, tmp_path):
    document, console = looked_at(page, tmp_path)
    wanted = len(re.findall(r'class="chart[^"]*" id="chart-', document))
    assert wanted >= 20
    assert f'data-drawn="{wanted}"' in document
    assert 'data-failed="0"' in document
    assert console == []
    charts = re.findall(r'<div class="chart[^>]*id="(chart-[^"]+)"[^>]*>(.*?)</figure>', document, re.DOTALL)
    assert len(charts) == wanted
    for anchor, inside in charts:
        assert "<svg" in inside, anchor
        marks = inside.count("<path") + inside.count("<line") + inside.count("<rect")
        assert marks > 5, anchor


def test_a_browser_says_so_when_a_chart_fails(page, tmp_path):
    # That the test above can fail: a page whose specification is broken.
    text = page.read_text(encoding="utf-8")
    before, charts = text.split('id="charts"')
    broken = before + 'id="charts"' + charts.replace('"mark":{"type":"point"', '"mark":{"type":"nothing"', 1)
    (tmp_path / "broken.html").write_text(broken, encoding="utf-8")
    document, console = looked_at(tmp_path / "broken.html", tmp_path)
    assert 'data-failed="0"' not in document or console
