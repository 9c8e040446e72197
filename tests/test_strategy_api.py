"""Specs, files of bots, and what is said of those that cannot be used."""

import re
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit

from sim.batch import StrategyError
from sim.calls import address_of, compile_strategy
from sim.config import load_configuration
from sim.engine import ask
from sim.errors import InputError
from sim.game import Game
from strategies import api, outside, view
from strategies.api import available, describe_source, find, fingerprint, is_outside, load, load_source
from strategies.check import check
from strategies.probe import probe
from strategies.spec import parse
from strategies.template import write_template

pytestmark = pytest.mark.compiled

HEAD = "from sim.chance import draw\n\n\n"
GOOD = HEAD + "def bot(state, tables, actions, count, random, weights):\n    return draw(random, count)\n"


def written(folder: Path, text: str) -> str:
    """Write a file of bots; return the spec of its function `bot`."""
    path = folder / "bots.py"
    path.write_text(text)
    return f"{path}:bot"


def bot(body: str) -> str:
    return HEAD + f"def bot(state, tables, actions, count, random, weights):\n    {body}\n"


def test_weights_in_a_spec() -> None:
    changed = load("balanced:publish=1.5", 2).weights - load("balanced", 2).weights
    assert np.count_nonzero(changed) == 1
    assert fingerprint("balanced:publish=1.5") != fingerprint("balanced")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("balnced", "balanced"),
        ("balanced:publsh=2", "publish"),
        ("balanced:publish=much", "publish"),
        ("balanced@nowhere.toml", "nowhere.toml"),
        ("nowhere/bot.py:bot", "nowhere/bot.py"),
    ],
)
def test_unknown_names_are_refused_and_near_ones_suggested(spec: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        load(spec, 2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + "def bot(state, tables):\n    return 0\n", "state, tables"),
        (bot("return 0.5"), "float"),
        (bot("return count > 1"), "bool"),
        (bot("return nothing_known"), "nothing_known"),
        (bot("return drow(random, count)"), "bots.py, line 5: NameError: name 'drow' .*; did you mean 'draw'"),
        (bot("pass"), "bot.* returns nothing, wanted"),
        (bot("return 0 if count > 1 else None"), "returns nothing on some paths, wanted"),
        (
            "from strategies import view\n\n\n" + bot("return view.coins_of(state, 0)"),
            "bots.py, line 8: module 'strategies.view' has no attribute 'coins_of'; did you mean 'coins'",
        ),
        (HEAD + "bot = 3\n", "bot"),
        ("raise ValueError('no')\n", "no"),
        ("def bot(:\n", "bots.py"),
    ],
)
def test_what_is_no_strategy_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        load(written(tmp_path, text), 2)


def test_a_good_file_is_probed_once(tmp_path: Path) -> None:
    spec = written(tmp_path, GOOD + f"\n\nUNLIKE = {str(tmp_path)!r}\n")
    assert probe([spec], players=[2]) == [spec]
    assert probe([spec], players=[2]) == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return count", "allowed are 0 to"),
        ("if count > 1:\n        raise ValueError('my fault')\n    return 0", "my fault"),
        ("state[0] = 3\n    return 0", "state"),
    ],
)
def test_what_breaks_the_contract_is_named(tmp_path: Path, body: str, said: str) -> None:
    with pytest.raises(StrategyError, match=said) as caught:
        probe([written(tmp_path, bot(body))], players=[2])
    assert "seat" in str(caught.value)


def test_a_look_behind_the_legal_actions_is_found(tmp_path: Path) -> None:
    spec = written(tmp_path, bot("return abs(actions[count]) % count"))
    with pytest.raises(StrategyError, match="asked again"):
        probe([spec], players=[2])


def test_what_never_returns_is_stopped(tmp_path: Path) -> None:
    spec = written(tmp_path, bot("while count > 0:\n        count += 1\n    return 0"))
    with pytest.raises(StrategyError, match="seat"):
        probe([spec], players=[2], patience=2)


def test_the_declared_weights_are_the_row(tmp_path: Path) -> None:
    text = (
        "from strategies.api import Weight, strategy\n\n\n"
        "@strategy(weights={'a': Weight(1.0, 0.0, 2.0, 'first'), 'b': Weight(2.0, 0.0, 3.0, 'second')}, describe='x')\n"
        "def bot(state, tables, actions, count, random, weights):\n    return int(weights[0] + weights[1]) % count\n"
    )
    spec = written(tmp_path, text)
    assert load(f"{spec}:b=3", 2).weights.tolist() == [1.0, 3.0]
    assert list(find(spec).declaration.weights) == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "name", "path", "weights_file", "settings"),
    [
        ("random", "random", "", "", {}),
        ("balanced:publish=1.5, bank=0.2", "balanced", "", "", {"publish": "1.5", "bank": "0.2"}),
        ("balanced@a/b.toml:publish=2", "balanced", "", "a/b.toml", {"publish": "2"}),
        ("bots/my.bot.py:mine", "mine", "bots/my.bot.py", "", {}),
        ("bots/mine.py:mine@w.toml:a=1", "mine", "bots/mine.py", "w.toml", {"a": "1"}),
        (
            "rollout:budget=8,base=(greedy:bank=1,coin=0)",
            "rollout",
            "",
            "",
            {"budget": "8", "base": "greedy:bank=1,coin=0"},
        ),
    ],
)
def test_spelling(text: str, name: str, path: str, weights_file: str, settings: dict[str, str]) -> None:
    spec = parse(text)
    assert (spec.name, spec.path, spec.weights_file, spec.settings) == (name, path, weights_file, settings)


@pytest.mark.parametrize(
    "text", ["", "a b", "mine.py", "balanced:", "balanced:publish", "balanced:a=1,a=2", "balanced@x"]
)
def test_what_is_not_spelled_right_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="strategy"):
        parse(text)


def test_weights_may_differ_by_number_of_players(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("[weights]\npublish = 1.5\nbank = 0\n[players.3]\npublish = 2\n")
    found = find(f"balanced@{file}:bank=0.5")
    assert [found.weights(players)["publish"] for players in (2, 3)] == [1.5, 2.0]
    assert found.weights(3)["bank"] == 0.5
    assert load(f"balanced@{file}", 3).weights[list(found.weights()).index("publish")] == 2.0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[weights]\npublsh = 1\n", "publish"),
        ("[weights]\npublish = 99\n", "allowed: 0 to 3"),
        ("[weights]\npublish = 'much'\n", "a number is wanted"),
        ("[players.two]\npublish = 1\n", "number of players"),
        ("[weight]\npublish = 1\n", "weights"),
        ("[weights\n", "TOML"),
    ],
)
def test_faults_of_a_weights_file_are_named(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=said) as caught:
        load(f"balanced@{file}", 2)
    assert "mine.toml" in str(caught.value)


def test_a_short_integer_is_an_index_too(tmp_path: Path) -> None:
    spec = written(tmp_path, bot("return actions[0] * 0"))
    assert probe([spec], players=[2]) == [spec]


def test_a_strategy_with_chance_of_its_own_making_is_named(tmp_path: Path) -> None:
    text = "import numpy as np\n\n\n" + bot("return np.random.randint(0, count)")
    with pytest.raises(StrategyError, match="asked again"):
        probe([written(tmp_path, text)], players=[2])


def test_reading_outside_an_array_is_found_with_the_compiler_off(tmp_path: Path) -> None:
    report = check(written(tmp_path, bot("return actions[100_000] * 0")), games=1)
    assert list(report.faults) == ["stays inside"]
    assert "IndexError" in str(report)
    assert "line 5" in str(report)


@pytest.mark.parametrize(
    ("spec", "checked"),
    [
        ("nowhere.py:bot", ["loads"]),
        (bot("return 0.5"), ["loads"]),
        (bot("return count"), ["loads", "legal"]),
    ],
)
def test_what_was_not_checked_is_not_said_to_be_kept(tmp_path: Path, spec: str, checked: list[str]) -> None:
    report = check(spec if spec.endswith(":bot") else written(tmp_path, spec), games=1)
    assert list(report.faults) == checked[-1:]
    said = str(report).splitlines()
    assert [line for line in said if line.startswith("  NO ")] != []
    assert not any(line.startswith("  yes stays inside") for line in said)
    assert sum(line.startswith("  –   ") and line.endswith(": not checked") for line in said) == len(report.unchecked)
    assert set(checked).isdisjoint(report.unchecked)
    assert {"alters nothing", "deterministic", "stays inside"} <= report.unchecked
    assert "0 decisions" not in str(report)


def test_without_the_second_play_that_point_is_not_checked() -> None:
    assert check("random", games=1, compiler_off=False).unchecked == {"stays inside"}
    assert check("random", games=1).unchecked == frozenset()


def test_a_file_travels_as_text(tmp_path: Path) -> None:
    spec = written(tmp_path, GOOD)
    source = describe_source(spec)
    assert GOOD in source["files"].values()
    player = load_source(source, 2, tmp_path / "elsewhere")
    assert player.name == spec
    assert (tmp_path / "elsewhere").exists()


def test_other_code_under_the_same_name_is_refused() -> None:
    source = describe_source("balanced") | {"fingerprint": "0" * 64}
    with pytest.raises(InputError, match="not the same"):
        load_source(source, 2)


def test_strategies_of_installed_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "installed_bots.py").write_text(GOOD)
    monkeypatch.syspath_prepend(tmp_path)
    points = [
        EntryPoint("foreign", "installed_bots:bot", outside.GROUP),
        EntryPoint("broken", "no_such_package:bot", outside.GROUP),
    ]
    monkeypatch.setattr(outside, "entry_points", lambda group: points)
    assert is_outside("foreign")
    assert not is_outside("balanced")
    assert load("foreign", 2).name == "foreign"
    listed = {each.name: each.describe for each in available()}
    assert "foreign" in listed
    assert "no_such_package" in listed["broken"]
    with pytest.raises(InputError, match="no_such_package"):
        load("broken", 2)


def test_the_template_plays_and_is_not_written_over(tmp_path: Path) -> None:
    file = tmp_path / "my-bot.py"
    said = write_template(file)
    spec = f"{file}:my_bot"
    assert spec in said
    assert find(f"{spec}:publish=2").weights()["publish"] == 2.0
    assert check(spec, games=1, compiler_off=False).passed
    with pytest.raises(InputError, match="there already"):
        write_template(file)
    with pytest.raises(InputError, match=r"my_bot\.py"):
        write_template(tmp_path / "class.py")


def test_weights_of_every_built_in_strategy_are_within_bounds() -> None:
    for listed in available():
        found = find(listed.name)
        for players in (2, 3, 4):
            for name, value in found.weights(players).items():
                weight = found.declaration.weights[name]
                assert weight.low <= value <= weight.high, (listed.name, name)


def test_every_listed_strategy_says_what_it_does() -> None:
    assert all(listed.describe for listed in api.available())


GUIDE = (Path(api.__file__).parent / "WRITING_A_BOT.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", GUIDE, flags=re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_every_bot_of_the_guide_plays(tmp_path: Path, number: int) -> None:
    file = tmp_path / "mine.py"
    file.write_text(EXAMPLES[number] + f"\n# {tmp_path}\n", encoding="utf-8")
    assert probe([f"{file}:mine"], players=[2]) == [f"{file}:mine"]


def test_the_guide_asks_only_what_the_view_answers() -> None:
    asked = set(re.findall(r"`view\.(\w+)", GUIDE))
    assert asked
    assert all(hasattr(view, name) for name in asked)


@pytest.mark.parametrize("options", [{}, {"fastmath": True}, {"parallel": True, "nogil": True}])
def test_a_strategy_that_comes_compiled_plays_as_it_would_plain(options: dict[str, bool]) -> None:
    """Without a file to be cached under, too: it is typed at a prompt here."""
    text = "def bot(state, tables, actions, count, random, weights):\n    return int(actions[count - 1]) % count\n"
    names: dict[str, Any] = {}
    exec(text, names)
    plain, compiled_before = compile_strategy(names["bot"]), compile_strategy(njit(**options)(names["bot"]))
    game = Game(load_configuration(), players=2, seed=4, luck=9)
    randoms, weights = np.zeros(4, dtype=np.uint64), np.zeros(0)
    while not game.over:
        given = (game.state, game.tables, game.arena.actions, game.count, randoms, weights)
        wanted = int(game.legal[-1]) % game.count
        assert [ask(address_of(code), *given) for code in (plain, compiled_before)] == [wanted, wanted]
        game.choose(wanted)
