"""Rulesets and card sets: what is shipped, how it is changed, and how faults are named."""

import doctest
import importlib
import shutil
from collections import Counter
from pathlib import Path

import pytest
from pydantic import ValidationError

from sim.cardset import card_faults
from sim.config import (
    Configuration,
    content_hash,
    export,
    load_cards,
    load_configuration,
    load_ruleset,
    ruleset_rows,
)
from sim.errors import InputError
from sim.vocabulary import (
    CONTINENT_TRIGGERS,
    EXPERT_PAIRS,
    GAIN_EFFECTS,
    PASSIVE_EFFECTS,
    SCORING_EFFECTS,
    TRIGGERS,
)

STANDARD = load_configuration()
SHIPPED = Path(importlib.import_module("sim.data").__file__ or "").parent / "standard"


def write(folder: Path, text: str, name: str = "ruleset.toml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SHIPPED, tmp_path / "copied"))


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


# The shipped ruleset


def test_standard_numbers_are_those_of_the_rules() -> None:
    rules = STANDARD.ruleset
    assert (rules.rounds, rules.start_player, rules.players.fewest, rules.players.most) == (6, "fixed", 2, 4)
    assert rules.coins.offsets == (2, 3, 3, 4)
    assert rules.display.animals == (6, 7, 8)
    assert list(rules.types) == ["class", "diet", "habitat", "climate"]
    assert [kind.cost for kind in rules.types.values()] == [1, 2, 3, 4]
    assert [kind.publish_from for kind in rules.types.values()] == [1, 3, 5, 6]
    assert [kind.vp for kind in rules.types.values()] == [1, 2, 3, 5]
    assert rules.scoring.category_bonus == (0, 0, 0, 3, 5, 8, 11, 15)
    assert rules.scoring.continent_bonus == (0, 0, 0, 3, 5, 8, 12, 16)
    assert list(rules.reputation.track) == list(range(4, 41, 4))
    assert [(space.effect, space.amount) for space in rules.board.spaces.values()] == [
        ("coins", 2),
        ("reputation", 1),
        ("vp", 2),
        ("none", 0),
    ]


def test_every_number_says_where_it_comes_from() -> None:
    rows = ruleset_rows(STANDARD.ruleset)
    assert {row.provenance for row in rows} == {"S", "P", "A"}
    assert all(row.rule and "." in row.rule for row in rows)
    known = {row.key: (row.provenance, row.rule) for row in rows}
    assert known["coins.offsets"] == ("S", "2.4")
    assert known["board.spaces.3.amount"] == ("A", "4.1")
    assert known["reputation.track.40.effect"] == ("A", "10.1")


# The shipped cards


def test_animals_are_spread() -> None:
    animals = STANDARD.cards.animals
    assert [animal.id for animal in animals] == list(range(1, 76))
    assert set(Counter(animal.continent for animal in animals).values()) == {15}
    assert len({animal.latin for animal in animals}) == len({animal.name for animal in animals}) == 75
    for index, kind in enumerate(STANDARD.ruleset.types.values()):
        assert {animal.categories[index] for animal in animals} == set(kind.categories)
    for continent in STANDARD.ruleset.continents.names:
        here = [animal.categories for animal in animals if animal.continent == continent]
        assert all(len({categories[index] for categories in here}) >= 3 for index in range(4))


def test_experts_use_the_whole_vocabulary() -> None:
    experts = STANDARD.cards.experts
    assert [expert.id for expert in experts] == list(range(1, 56))
    assert set(Counter(expert.continent for expert in experts).values()) == {11}
    assert len({expert.name for expert in experts}) == 55
    assert {expert.trigger for expert in experts} == set(TRIGGERS)
    assert {expert.effect for expert in experts} == {*GAIN_EFFECTS, *PASSIVE_EFFECTS, *SCORING_EFFECTS}
    pairs = {(expert.trigger, expert.effect) for expert in experts}
    special = {(trigger, effect) for trigger, effects in EXPERT_PAIRS.items() for effect in effects}
    special -= {(trigger, effect) for trigger in TRIGGERS if trigger != "game_end" for effect in GAIN_EFFECTS}
    assert special <= pairs
    assert {("hire", effect) for effect in GAIN_EFFECTS} <= pairs
    narrowed = {expert.trigger for expert in experts if expert.trigger_continent}
    assert narrowed == set(CONTINENT_TRIGGERS)


def test_experts_use_every_kind_of_filter() -> None:
    filters = {(expert.effect, (expert.effect_filter or "").partition(":")[0]) for expert in STANDARD.cards.experts}
    kinds = STANDARD.ruleset.types
    assert {("vp_per_published", kind) for kind in kinds} <= filters
    assert {
        ("vp_per_published", ""),
        ("vp_per_published", "Europe"),
        ("research", ""),
        ("research", "Africa"),
    } <= filters
    assert {("discount", ""), ("discount", "climate"), ("vp_per_coins", "3")} <= filters


def test_tokens_are_those_of_rule_8() -> None:
    assert [(token.effect, token.amount, token.scope) for token in STANDARD.cards.tokens] == [
        ("coins", 2, "everyone"),
        ("coins", 3, "everyone"),
        ("expedition_tokens", 1, "everyone"),
        ("expedition_tokens", 2, "everyone"),
        ("reputation", 2, "everyone"),
        ("animals", 1, "everyone"),
        ("research", 3, "everyone"),
        ("vp_per_expert", 1, "everyone"),
        ("vp_per_animal", 1, "everyone"),
        ("seals", 1, "fewest:vp"),
        ("coins", 4, "fewest:vp"),
        ("vp", 2, "everyone"),
    ]


# Reading


def test_shipped_data_is_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_configuration() == STANDARD


def test_a_file_a_folder_and_a_name_are_the_same(copied: Path) -> None:
    assert load_ruleset(copied) == load_ruleset(copied / "ruleset.toml") == STANDARD.ruleset
    assert load_cards(str(copied), STANDARD.ruleset) == STANDARD.cards


def test_tables_from_a_spreadsheet(copied: Path) -> None:
    for path in copied.glob("*.csv"):
        lines = [line.replace(",", " ; ") for line in path.read_text(encoding="utf-8").splitlines()]
        path.write_bytes("\r\n".join([*lines, "", ";;;", ""]).encode("utf-8-sig"))
    assert load_cards(copied, STANDARD.ruleset) == STANDARD.cards


def test_columns_may_come_in_any_order_and_a_scope_may_be_left_out(copied: Path) -> None:
    rows = [line.split(",") for line in (copied / "tokens.csv").read_text(encoding="utf-8").splitlines()]
    text = "\n".join(",".join(reversed([cell.replace("everyone", "") for cell in row])) for row in rows)
    write(copied, text, "tokens.csv")
    assert load_cards(copied, STANDARD.ruleset) == STANDARD.cards


# Bases


def test_a_file_holds_only_what_differs(tmp_path: Path) -> None:
    rules = load_ruleset(write(tmp_path, 'base = "standard"\nname = "rich"\n[bank]\ncoins = 9\n'))
    assert rules.bank.coins == 9
    assert rules.model_copy(
        update={"bank": STANDARD.ruleset.bank, "name": "standard", "provenance": STANDARD.ruleset.provenance}
    ) == (STANDARD.ruleset)


def test_free_tables_are_replaced_as_a_whole(tmp_path: Path) -> None:
    text = 'base = "standard"\n[reputation.track]\n5 = {effect = "vp", amount = -1}\n'
    assert list(load_ruleset(write(tmp_path, text)).reputation.track) == [5]
    text = 'base = "standard"\n[types.size]\ncategories = ["big"]\ncost = 1\npublish_from = 1\nvp = 1\n'
    rules = load_ruleset(write(tmp_path, text))
    assert list(rules.types) == ["size"]
    assert not any(key.startswith("types.diet") for key in rules.provenance)


def test_a_base_is_found_beside_its_file(tmp_path: Path) -> None:
    write(tmp_path / "below", 'base = "standard"\nrounds = 5\n')
    path = write(tmp_path / "above", 'base = "../below/ruleset.toml"\n[bank]\ncoins = 9\n')
    rules = load_ruleset(path)
    assert (rules.rounds, rules.bank.coins) == (5, 9)


def test_a_fault_of_a_base_names_the_base(tmp_path: Path) -> None:
    write(tmp_path, 'base = "standard"\nrounds = 0\n', "below.toml")
    path = write(tmp_path, 'base = "below.toml"\n', "above.toml")
    with pytest.raises(InputError, match=r"below\.toml: key rounds: found 0"):
        load_ruleset(path)


def test_a_circle_of_bases_is_refused(tmp_path: Path) -> None:
    write(tmp_path, 'base = "b.toml"\n', "a.toml")
    write(tmp_path, 'base = "a.toml"\n', "b.toml")
    with pytest.raises(InputError, match="a base of itself"):
        load_ruleset(tmp_path / "a.toml")


# Provenance of changed values


def row(rules: object, key: str) -> tuple[object, str, str]:
    found = next(row for row in ruleset_rows(rules) if row.key == key)  # type: ignore[arg-type]
    return found.value, found.provenance, found.rule


def test_a_changed_value_is_marked() -> None:
    rules = load_ruleset(overrides=["bank.coins=9", "board.spaces.3.amount=5"])
    assert row(rules, "bank.coins") == (9, "changed", "4.7")
    assert row(rules, "board.spaces.3.amount") == (5, "changed", "4.1")
    assert row(rules, "board.spaces.2.amount") == (1, "A", "4.1")


def test_a_changed_value_may_say_where_it_comes_from(tmp_path: Path) -> None:
    rules = load_ruleset(overrides=["board.spaces.3.amount=5", "provenance.board=P 4.1"])
    assert row(rules, "board.spaces.3.amount") == (5, "P", "4.1")
    text = 'base = "standard"\n[academy]\nreputation = [1, 2, 3]\n[provenance]\n"academy" = "P 4.9"\n'
    assert row(load_ruleset(write(tmp_path, text)), "academy.reputation") == ([1, 2, 3], "P", "4.9")


def test_a_value_changed_back_is_not_marked(tmp_path: Path) -> None:
    path = write(tmp_path, 'base = "standard"\n[bank]\ncoins = 9\n')
    assert row(load_ruleset(path, ["bank.coins=5"]), "bank.coins") == (5, "S", "4.7")


def test_a_ruleset_without_provenance(copied: Path) -> None:
    path = copied / "ruleset.toml"
    text = path.read_text(encoding="utf-8").partition("\n[provenance]")[0].replace("coins = 5", "coins = 7")
    rules = load_ruleset(write(copied, text))
    assert row(rules, "bank.coins") == (7, "changed", "4.7")
    assert row(rules, "university.spaces") == (4, "S", "4.8")


@pytest.mark.parametrize("as_given", ["", "/", "/ruleset.toml"])
def test_a_folder_brings_the_cards_that_are_in_it(copied: Path, as_given: str) -> None:
    edit(copied / "tokens.csv", "Small Grant", "Great Grant")
    found = load_configuration(f"{copied}{as_given}")
    own = as_given != "/ruleset.toml"
    assert (found.cards.tokens[0].name == "Great Grant") == own
    assert load_configuration(f"{copied}{as_given}", "standard").cards == STANDARD.cards
    assert load_configuration("standard", copied).cards.tokens[0].name == "Great Grant"


def test_a_folder_without_cards_is_played_with_the_standard_ones(tmp_path: Path) -> None:
    write(tmp_path, 'base = "standard"\nrounds = 5\n')
    assert load_configuration(tmp_path).cards == STANDARD.cards


def test_a_folder_with_some_of_the_cards_is_not_whole(copied: Path) -> None:
    (copied / "experts.csv").unlink()
    with pytest.raises(InputError, match=r"experts\.csv: file not found"):
        load_configuration(copied)


# Overrides


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("coins.offsets=2,3,3,5", "rules.coins.offsets == (2, 3, 3, 5)"),
        ("coins.offsets=[2, 3, 3, 5]", "rules.coins.offsets == (2, 3, 3, 5)"),
        ("bank.coins = 12", "rules.bank.coins == 12"),
        ("types.class.cost=2", "rules.types['class'].cost == 2"),
        ("board.spaces.3.amount=5", "rules.board.spaces[3].amount == 5"),
        ("board.spaces.3.amount=-5", "rules.board.spaces[3].amount == -5"),
        ("reputation.track.4.amount=2", "rules.reputation.track[4].amount == 2"),
        ("reputation.track.6={effect='vp',amount=2}", "list(rules.reputation.track)[:3] == [4, 6, 8]"),
        ("reputation.track={4={effect='coins',amount=1}}", "list(rules.reputation.track) == [4]"),
        ("reputation.track.4={amount=7}", "rules.reputation.track[4].effect == 'coins'"),
        ("rounds=5", "rules.rounds == 5"),
        ("start_player=rotate", "rules.start_player == 'rotate'"),
        ("start_player='rotate'", "rules.start_player == 'rotate'"),
        ("scoring.category_bonus=0,0,0,4,6", "rules.scoring.category_bonus == (0, 0, 0, 4, 6)"),
        ("embassy.expedition_tokens=2", "rules.embassy.expedition_tokens == (2,)"),
        ("players={most=3}", "(rules.players.fewest, rules.players.most) == (2, 3)"),
        ("name=5", "rules.name == '5'"),
        ("provenance.bank.coins=P 4.7", "rules.provenance['bank.coins'] == 'P 4.7'"),
        ("provenance={'bank.coins'='P 4.7'}", "rules.provenance['bank.coins'] == 'P 4.7'"),
        ("animals.12.diet=carnivore", "cards.animals[11].categories[1] == 'carnivore'"),
        ("animals.5.continent=Asia", "cards.animals[4].continent == 'Asia'"),
        ("experts.7.amount=3", "cards.experts[6].amount == 3"),
        ("experts.4.trigger_continent=''", "cards.experts[3].trigger_continent is None"),
        ("tokens.2.amount=6", "cards.tokens[1].amount == 6"),
        ("tokens.12.amount=-2", "cards.tokens[11].amount == -2"),
    ],
)
def test_overrides(override: str, expected: str) -> None:
    configuration = load_configuration(overrides=[override])
    assert eval(expected, {"rules": configuration.ruleset, "cards": configuration.cards})


def test_overrides_apply_in_turn() -> None:
    assert load_ruleset(overrides=["bank.coins=4", "bank.coins=6"]).bank.coins == 6
    assert (
        load_ruleset(overrides=["players.most=5", "coins.offsets=1,1,1,1,1", "display.animals=6,7,8,10"]).players.most
        == 5
    )


def test_loaders_take_only_their_own_overrides() -> None:
    with pytest.raises(InputError, match="unknown key: found 'experts'"):
        load_ruleset(overrides=["experts.7.amount=3"])
    with pytest.raises(InputError, match="unknown table: found 'bank'"):
        load_cards("standard", STANDARD.ruleset, ["bank.coins=3"])
    assert load_cards("standard", STANDARD.ruleset, ["experts.7.amount=3"]).experts[6].amount == 3


@pytest.mark.parametrize(
    ("override", "fragments"),
    [
        ("bank.coins", ["write key=value"]),
        ("=3", ["write key=value"]),
        ("bank.coins=", ["write key=value"]),
        ("bank..coins=3", ["write key=value"]),
        ("bnak.coins=3", ["unknown key", "'bnak'", "bank", "did you mean 'bank'?"]),
        ("coins.ofsets=3", ["unknown key 'coins.ofsets'", "allowed here: offsets", "did you mean 'offsets'?"]),
        ("types.clas.cost=2", ["unknown key 'types.clas.cost'", "class, diet, habitat, climate", "mean 'class'?"]),
        ("types.class.price=2", ["unknown key", "categories, cost, publish_from, vp"]),
        ("board.spaces.9.amount=2", ["unknown key", "1, 2, 3, 4"]),
        ("board.spaces.x={effect='vp',amount=1}", ["board.spaces.x", "whole number"]),
        ("board.spaces.01={effect='vp',amount=1}", ["board.spaces.01", "whole number"]),
        ("board.spaces.6={effect='vp',amount=1}", ["without a gap"]),
        ("board.spaces={1={effect='vp',amount=1}}", ["found 1 spaces", "dice.per_player = 4"]),
        ("board.spaces.1.effect=coin", ["found 'coin'", "expedition_tokens", "mean 'coins'?"]),
        ("board.spaces.1.amount=-2", ["board.spaces.1.amount", "only vp may be negative"]),
        ("reputation.track.41={effect='vp',amount=1}", ["found space 41", "1 to reputation.length = 40"]),
        ("rounds.x=2", ["no keys below a value"]),
        ("rounds=0", ["rounds", "found 0", "1 or more"]),
        ("rounds=101", ["100 or less"]),
        ("rounds=six", ["found 'six'", "whole number"]),
        ("rounds=6.0", ["found 6.0", "whole number"]),
        ("rounds=true", ["found True", "whole number"]),
        ("rounds=13", ["tokens.csv", "found 12 rows", "rounds = 13"]),
        ("bank=5", ["found 5", "a table is needed"]),
        ("bank.coins=-1", ["override 'bank.coins=-1'", "0 or more"]),
        ("bank.coins=1001", ["1000 or less"]),
        ("bank.coins=99999999999999999999", ["1000 or less"]),
        ("start_player=rotated", ["start_player", "'fixed'", "'rotate'"]),
        ("coins.offsets=2,3", ["found 2 values", "one a seat is needed: 4"]),
        ("coins.offsets=2,x,3,4", ["value 2 of the list", "found 'x'"]),
        ("coins.offsets=[]", ["1 or more entries"]),
        ("display.animals=6,7", ["found 2 values", "is needed: 3"]),
        ("display.animals=6,5,8", ["found 5 for 3 players", "6 or more"]),
        ("dice.per_colour=3", ["holds 15 dice", "4 players draw 16"]),
        ("players.most=5", ["override 'players.most=5'", "coins.offsets"]),
        ("players.fewest=5", ["at most players.most = 4"]),
        ("types.diet.publish_from=6", ["types.habitat.publish_from", "never falls", "6 or more"]),
        ("types.diet.cost=0", ["1 or more"]),
        ("types={}", ["types", "1 or more"]),
        ("types.diet={cost=3,colour=2}", ["types.diet.colour", "unknown key"]),
        ("types.name={categories=['a'],cost=1,publish_from=6,vp=1}", ["a type cannot be called"]),
        ("types.size={categories=['big'],cost=1,publish_from=6,vp=1}", ["missing column 'size'"]),
        ("types.class.categories=bird,bird", ["'bird' is given more than once"]),
        ("types.class.categories=bird,a:b", ["found 'a:b'", "a name is made of"]),
        ("types.class.categories=bird", ["found 'mammal'", "allowed: bird"]),
        ("continents.names=Africa,Asia,Europe,Oceania,America", ["found 'Americas'", "mean 'America'?"]),
        ("scoring.coins_per_vp=0", ["1 or more"]),
        ("provenance.bank.coin=S 4.7", ["no key 'bank.coin'", "mean 'bank.coins'?"]),
        ("provenance.bank.coins=X", ["found 'X'", "S, P or A"]),
        ("provenance=5", ["a table is needed"]),
        ("base=standard", ["unknown key"]),
        ("rounds=5\nbank.coins=3", ["whole number"]),
        ("animals.5=Asia", ["table.id.column"]),
        ("animals.99.diet=carnivore", ["no row of animals has id '99'"]),
        ("animals.5.diett=carnivore", ["unknown column", "mean 'diet'?"]),
        ("animals.5.id=4", ["unknown column"]),
        ("animals.5.diet=carnivor", ["override 'animals.5.diet=carnivor'", "mean 'carnivore'?"]),
        ("animals.5.diet=''", ["diet is empty"]),
        ("experts.7.amount=x", ["override 'experts.7.amount=x'", "whole number"]),
        ("experts.1.trigger=game_end", ["override 'experts.1.trigger=game_end'", "makes no sense with trigger"]),
        ("experts.1.trigger=fire", ["found 'fire'", "mean 'hire'?"]),
        ("experts.1.trigger_continent=Africa", ["allowed only with: university, academy, expedition, publication"]),
        ("experts.4.trigger_continent=Afrika", ["mean 'Africa'?"]),
        ("experts.1.continent=Atlantis", ["found 'Atlantis'"]),
        ("experts.1.effect=none", ["makes no sense"]),
        ("experts.1.effect=lose_coins", ["makes no sense"]),
        ("experts.1.effect=coin", ["mean 'coins'?"]),
        ("experts.1.amount=-1", ["allowed with coins: 0 to 1000"]),
        ("experts.54.amount=-1001", ["-1000 to 1000"]),
        ("experts.6.amount=2", ["allowed with recolour: 1"]),
        ("experts.1.effect_filter=Asia", ["coins takes no filter"]),
        ("experts.8.effect_filter=Azia", ["mean 'Asia'?"]),
        ("experts.11.effect_filter=diet:carnivore", ["allowed: class, diet, habitat, climate"]),
        ("experts.25.effect_filter=diet:carnivor", ["mean 'diet:carnivore'?"]),
        ("experts.40.effect_filter=0", ["a number of coins is needed"]),
        ("experts.40.effect_filter=''", ["a number of coins is needed"]),
        ("tokens.1.effect=value", ["found 'value'", "vp_per_animal"]),
        ("tokens.1.amount=-3", ["0 to 1000"]),
        ("tokens.1.scope=fewest", ["found 'fewest'", "fewest:vp"]),
    ],
)
def test_bad_overrides(override: str, fragments: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        load_configuration(overrides=[override])
    for fragment in fragments:
        assert fragment in str(caught.value)


# Bad files


@pytest.mark.parametrize(
    ("file", "old", "new", "fragments"),
    [
        ("ruleset.toml", "rounds = 6", "", ["key rounds: missing"]),
        ("ruleset.toml", "rounds = 6", "rounds = ", ["not valid TOML", "line"]),
        ("ruleset.toml", "rounds = 6", "rounds = 6\nround = 5", ["key round: unknown key", "mean 'rounds'?"]),
        ("ruleset.toml", "rounds = 6", "rounds = 6\nbase = 3", ["key base: found 3"]),
        ("ruleset.toml", "rounds = 6", "rounds = 6\nbase = 'standrad'", ["key base", "not found", "'standard'?"]),
        ("ruleset.toml", "coins = 5", "coins = '5'", ["key bank.coins: found '5'; a whole number is needed"]),
        ("ruleset.toml", '"rounds" = "S 2.1"', '"round" = "S 2.1"', ["no key 'round'", "mean 'rounds'?"]),
        ("animals.csv", "latin,", "", ["animals.csv, header: missing column 'latin'"]),
        ("animals.csv", "latin", "latn", ["header: unknown column 'latn'", "mean 'latin'?"]),
        ("animals.csv", "latin", "name", ["column 'name' is given more than once"]),
        ("animals.csv", "herbivore", "grass", ["animals.csv, line 2 (id 1): diet: found 'grass'"]),
        ("animals.csv", "2,Okapi", "1,Okapi", ["line 3 (id 1): id: found 1 a second time"]),
        ("animals.csv", "2,Okapi", "two,Okapi", ["line 3 (id two): id: found 'two'; a whole number is needed"]),
        ("animals.csv", "2,Okapi", "0,Okapi", ["line 3 (id 0): id: found 0"]),
        ("animals.csv", "2,Okapi", "2,", ["line 3 (id 2): name is empty"]),
        ("animals.csv", "2,Okapi", ",Okapi", ["line 3 (id ?): id is empty"]),
        ("animals.csv", "2,Okapi,", "2,", ["line 3: found 7 cells; the header has 8"]),
        ("animals.csv", "2,Okapi", '2,"Okapi', ["animals.csv, line", "not valid CSV"]),
        ("experts.csv", ",hire,,coins,4,", ",hire,,coins,4.5,", ["line 2 (id 1): amount: found '4.5'"]),
        ("experts.csv", ",hire,,coins,4,", ",hire,,coins,,", ["line 2 (id 1): amount is empty"]),
        ("experts.csv", ",bank,,", ",stolen,Asia,", ["line 3 (id 2): trigger_continent"]),
        ("tokens.csv", "2,Large Grant", "\n2,Large Grant,x", ["line 4: found 6 cells"]),
    ],
)
def test_bad_files(copied: Path, file: str, old: str, new: str, fragments: list[str]) -> None:
    edit(copied / file, old, new)
    with pytest.raises(InputError) as caught:
        load_configuration(copied, copied)
    for fragment in fragments:
        assert fragment in str(caught.value)


@pytest.mark.parametrize("file", ["ruleset.toml", "animals.csv", "experts.csv", "tokens.csv"])
def test_unreadable_files(copied: Path, file: str) -> None:
    path = copied / file
    path.write_bytes(b"id,name\n1,\xff\n")
    with pytest.raises(InputError, match=rf"{file}: not UTF-8 text \(byte 11\)"):
        load_configuration(copied, copied)
    path.write_bytes(b"")
    with pytest.raises(InputError, match=rf"{file}: "):
        load_configuration(copied, copied)
    path.unlink()
    with pytest.raises(InputError, match=rf"{file}: file not found"):
        load_configuration(copied, copied)
    path.mkdir()
    with pytest.raises(InputError, match=rf"{file}: cannot be read"):
        load_configuration(copied, copied)


def test_a_table_may_not_be_short(copied: Path) -> None:
    for file, message in (("animals", "draft of 4 players needs 8"), ("experts", "university needs 1")):
        lines = (copied / f"{file}.csv").read_text(encoding="utf-8").splitlines()
        write(copied, "\n".join(lines[:8] if file == "animals" else lines[:1]), f"{file}.csv")
        with pytest.raises(InputError, match=message):
            load_cards(copied, STANDARD.ruleset)


@pytest.mark.parametrize("name", ["standrad", "", "no/such/file.toml", "a\0b", "~nobody-of-this-name/x"])
def test_unknown_names(name: str) -> None:
    with pytest.raises(InputError, match="ruleset"):
        load_ruleset(name)
    with pytest.raises(InputError, match="card set"):
        load_cards(name, STANDARD.ruleset)


def test_a_card_set_is_a_folder(copied: Path) -> None:
    with pytest.raises(InputError, match=r"is a file; a folder with animals\.csv"):
        load_cards(copied / "animals.csv", STANDARD.ruleset)


def test_several_faults_are_reported_together(copied: Path) -> None:
    path = copied / "animals.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("herbivore", "grass"), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_cards(copied, STANDARD.ruleset)
    lines = str(caught.value).splitlines()
    assert len(lines) == 6
    assert lines[-1] == "and 18 more"


# Models


def test_models_are_frozen_and_checked_together() -> None:
    with pytest.raises(ValidationError):
        STANDARD.ruleset.rounds = 5
    fewer = load_ruleset(overrides=["continents.names=Africa,Asia,Europe,Oceania,Antarctica"])
    assert card_faults(STANDARD.cards, fewer)
    with pytest.raises(ValidationError):
        Configuration(ruleset=fewer, cards=STANDARD.cards)


# Hashes


def test_hashes_follow_what_matters_for_play() -> None:
    rules = content_hash(STANDARD.ruleset)
    assert len(rules) == 12
    assert rules == content_hash(load_ruleset(overrides=["name=mine", "provenance.bank.coins=P 4.7"]))
    assert rules != content_hash(load_ruleset(overrides=["bank.coins=4"]))
    assert rules != content_hash(load_ruleset(overrides=["types.class.categories=beast,bird,reptile"]))
    cards = content_hash(STANDARD.cards)
    assert cards != content_hash(load_configuration(overrides=["animals.1.name=Elephant"]).cards)
    assert content_hash(STANDARD) != content_hash(load_configuration(overrides=["tokens.1.amount=3"]))


def test_the_order_of_types_matters_and_that_of_spaces_does_not(tmp_path: Path, copied: Path) -> None:
    size = 'categories = ["x"]\ncost = 1\npublish_from = 1\nvp = 1\n'
    hashes = {
        content_hash(load_ruleset(write(tmp_path, f'base = "standard"\n[types.{one}]\n{size}[types.{two}]\n{size}')))
        for one, two in (("a", "b"), ("b", "a"))
    }
    assert len(hashes) == 2
    edit(copied / "ruleset.toml", '1 = { effect = "coins", amount = 2 }\n', "")
    edit(copied / "ruleset.toml", "[recolour]", '1 = { effect = "coins", amount = 2 }\n[recolour]')
    assert content_hash(load_ruleset(copied)) == content_hash(STANDARD.ruleset)


# Writing


@pytest.mark.parametrize(
    "overrides",
    [
        (),
        ("bank.coins=12", "board.spaces.3.amount=5", "experts.7.amount=3", "animals.5.continent=Asia"),
        ('name=ein "Name" – 名', 'animals.5.name=Wolf; "grey", old', "provenance.bank=P 4.7"),
        ('animals.5.latin=""',),
    ],
)
def test_what_is_written_loads_again(tmp_path: Path, overrides: tuple[str, ...]) -> None:
    configuration = load_configuration(overrides=overrides)
    folder = tmp_path / "new" / "folder"
    paths = export(configuration, folder)
    assert sorted(path.name for path in paths) == ["animals.csv", "experts.csv", "ruleset.toml", "tokens.csv"]
    again = load_configuration(folder, folder)
    assert again == configuration
    assert content_hash(again) == content_hash(configuration)
    assert ruleset_rows(again.ruleset) == ruleset_rows(configuration.ruleset)


def test_the_standard_files_are_written_as_they_are_shipped(tmp_path: Path) -> None:
    for path in export(STANDARD, tmp_path):
        assert path.read_bytes() == (SHIPPED / path.name).read_bytes()


def test_nothing_is_overwritten_unasked(tmp_path: Path) -> None:
    export(STANDARD, tmp_path)
    with pytest.raises(InputError, match="is there already"):
        export(STANDARD, tmp_path)
    export(load_configuration(overrides=["bank.coins=12"]), tmp_path, overwrite=True)
    assert load_ruleset(tmp_path).bank.coins == 12
    with pytest.raises(InputError, match="cannot be written"):
        export(STANDARD, tmp_path / "ruleset.toml")


@pytest.mark.parametrize(
    "module", ["config", "cardset", "cardfiles", "ruleset", "schema", "sources", "overrides", "faults"]
)
def test_examples(module: str) -> None:
    assert doctest.testmod(importlib.import_module(f"sim.{module}")).failed == 0
