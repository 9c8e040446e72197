"""Rulesets and cards to try the twin on: the rules page's own numbers, and odd ones."""

import copy
import csv
import random
import tomllib
from pathlib import Path

from sim import vocabulary

STANDARD_FOLDER = Path(__file__).parents[2] / "sim" / "data" / "standard"

STANDARD_TOML = """
name = "standard"
rounds = 6
start_player = "fixed"
[players]
fewest = 2
most = 4
[dice]
per_colour = 4
sides = 6
per_player = 4
[display]
experts = 6
animals = [6, 7, 8]
[draft]
animals = 2
[start]
expedition_tokens = 1
[coins]
offsets = [2, 3, 3, 4]
[board.spaces]
1 = { effect = "coins", amount = 2 }
2 = { effect = "reputation", amount = 1 }
3 = { effect = "vp", amount = 2 }
4 = { effect = "none", amount = 0 }
[recolour]
expedition_tokens = 1
[boost]
per_coin = 1
per_token = 2
[embassy]
expedition_tokens = [1, 1, 2, 2, 3]
[bank]
coins = 5
[university]
spaces = 4
match_reputation = 1
[academy]
reputation = [1, 1, 2, 2, 3]
[expedition]
reputation = [3, 2, 1, 0]
[publication]
seals = 1
animal_vp = 1
[continents]
names = ["Africa", "Americas", "Asia", "Europe", "Oceania"]
[types.class]
categories = ["mammal", "bird", "reptile"]
cost = 1
publish_from = 1
vp = 1
[types.diet]
categories = ["herbivore", "carnivore", "insectivore", "omnivore"]
cost = 2
publish_from = 3
vp = 2
[types.habitat]
categories = ["forest", "grassland", "desert", "mountain", "wetland"]
cost = 3
publish_from = 5
vp = 3
[types.climate]
categories = ["tropical", "arid", "temperate", "continental", "polar"]
cost = 4
publish_from = 6
vp = 5
[seals]
per_round = 1
[scoring]
category_bonus = [0, 0, 0, 3, 5, 8, 11, 15]
continent_bonus = [0, 0, 0, 3, 5, 8, 12, 16]
seal_vp = 4
coins_per_vp = 2
expedition_token_vp = 1
[reputation]
beyond_vp = 1
length = 40
[reputation.track]
4 = { effect = "coins", amount = 1 }
8 = { effect = "expedition_tokens", amount = 1 }
12 = { effect = "vp", amount = 2 }
16 = { effect = "coins", amount = 2 }
20 = { effect = "seals", amount = 1 }
24 = { effect = "vp", amount = 3 }
28 = { effect = "expedition_tokens", amount = 1 }
32 = { effect = "vp", amount = 4 }
36 = { effect = "coins", amount = 3 }
40 = { effect = "vp", amount = 6 }
"""

STANDARD_TOKENS = [
    ("coins", 2, ""),
    ("coins", 3, ""),
    ("expedition_tokens", 1, ""),
    ("expedition_tokens", 2, ""),
    ("reputation", 2, ""),
    ("animals", 1, ""),
    ("research", 3, ""),
    ("vp_per_expert", 1, ""),
    ("vp_per_animal", 1, ""),
    ("seals", 1, "fewest:vp"),
    ("coins", 4, "fewest:vp"),
    ("vp", 2, "everyone"),
]


def standard_rules() -> dict:
    return tomllib.loads(STANDARD_TOML)


def odd_rules(seed: int) -> dict:
    """A ruleset with everything counted differently."""
    rng = random.Random(seed)
    rules = copy.deepcopy(standard_rules())

    def effect(allowed: tuple[str, ...], largest: int) -> dict:
        name = rng.choice(allowed)
        return {"effect": name, "amount": rng.randint(-1 if name == "vp" else 0, largest)}

    def table(length: int, largest: int) -> list[int]:
        return sorted(rng.randint(0, largest) for _ in range(rng.randint(1, length)))

    rules["rounds"] = rng.randint(1, 7)
    rules["start_player"] = rng.choice(["fixed", "rotate"])
    rules["continents"]["names"] = ["North", "East", "South", "West", "Middle", "Moon"][: rng.randint(2, 6)]
    per_player = rng.randint(2, 5)
    rules["dice"] = {
        "per_colour": -(-per_player * 4 // len(rules["continents"]["names"])) + rng.randint(0, 1),
        "sides": rng.choice([4, 6, 8]),
        "per_player": per_player,
    }
    drafted = rng.randint(0, 3)
    rules["draft"]["animals"] = drafted
    rules["display"] = {
        "experts": rng.randint(0, 7),
        "animals": [max(rng.randint(1, 9), drafted * players) for players in (2, 3, 4)],
    }
    rules["start"]["expedition_tokens"] = rng.randint(0, 3)
    rules["coins"]["offsets"] = [rng.randint(0, 6) for _ in range(4)]
    rules["board"]["spaces"] = {
        str(k): effect(vocabulary.SPACE_EFFECTS, 3) for k in range(1, per_player + rng.randint(1, 3))
    }
    rules["recolour"]["expedition_tokens"] = rng.randint(0, 2)
    rules["boost"] = {"per_coin": rng.choice([0, 1, 1, 2, 3]), "per_token": rng.randint(0, 4)}
    rules["embassy"]["expedition_tokens"] = table(8, 4)
    rules["bank"]["coins"] = rng.randint(0, 9)
    rules["university"] = {"spaces": rng.randint(1, 5), "match_reputation": rng.randint(0, 9)}
    rules["academy"]["reputation"] = table(8, 4)
    rules["publication"] = {"seals": rng.randint(0, 2), "animal_vp": rng.randint(-1, 2)}
    rules["expedition"]["reputation"] = [rng.randint(0, 6) for _ in range(rng.randint(1, 5))]
    levels = sorted(rng.randint(1, 8) for _ in range(5))
    rules["types"] = {
        name: {
            "categories": [f"{name}{i}" for i in range(rng.randint(1, 4))],
            "cost": rng.randint(1, 4),
            "publish_from": level,
            "vp": rng.randint(0, 5),
        }
        for name, level in list(zip("abcde", levels, strict=True))[: rng.randint(1, 5)]
    }
    rules["seals"]["per_round"] = rng.randint(0, 3)
    rules["scoring"] = {
        "category_bonus": table(9, 20),
        "continent_bonus": table(9, 20),
        "seal_vp": rng.randint(0, 5),
        "coins_per_vp": rng.randint(1, 4),
        "expedition_token_vp": rng.randint(0, 2),
    }
    rules["reputation"] = {
        "beyond_vp": rng.randint(0, 2),
        "length": 25,
        "track": {str(space): effect(vocabulary.TRACK_EFFECTS, 4) for space in rng.sample(range(1, 26), 9)},
    }
    return rules


def make_cards(rules: dict, animals: list[tuple], experts: list[tuple], tokens: list[tuple] = ()) -> dict:
    """Rows of the card files, numbered from 1 in the order given."""
    animal_columns = ["continent", *rules["types"]]
    expert_columns = ["continent", "trigger", "trigger_continent", "effect", "amount", "effect_filter"]
    token_columns = ["effect", "amount", "scope"]
    return {
        kind: [{"id": n, "name": f"{kind} {n}", **dict(zip(cols, row, strict=True))} for n, row in enumerate(rows, 1)]
        for kind, cols, rows in (
            ("animals", animal_columns, animals),
            ("experts", expert_columns, experts),
            ("tokens", token_columns, tokens),
        )
    }


def random_cards(rules: dict, seed: int, animals: int = 75, experts: int = 55) -> dict:
    """Cards with everything the vocabulary allows."""
    rng = random.Random(seed)
    continents = rules["continents"]["names"]
    categories = [f"{name}:{c}" for name, row in rules["types"].items() for c in row["categories"]]

    def expert(n: int) -> tuple:
        trigger = rng.choice(vocabulary.TRIGGERS)
        effect = rng.choice(sorted(vocabulary.EXPERT_PAIRS[trigger]))
        narrow = trigger in vocabulary.CONTINENT_TRIGGERS and rng.random() < 0.4
        filters = {
            "continent": ["", *continents],
            "type": ["", *rules["types"]],
            "continent or category": ["", *continents, *categories],
            "number": ["2", "3"],
        }[vocabulary.FILTERS.get(effect, "number")]
        filter_ = rng.choice(filters) if effect in vocabulary.FILTERS else ""
        home = continents[n % len(continents)]
        amount = 1 if effect == "recolour" else rng.randint(1, 3)
        return home, trigger, rng.choice(continents) if narrow else "", effect, amount, filter_

    def animal(n: int) -> tuple:
        return continents[n % len(continents)], *(rng.choice(row["categories"]) for row in rules["types"].values())

    odd_tokens = [
        (rng.choice(vocabulary.TOKEN_EFFECTS), rng.randint(1, 4), rng.choice(vocabulary.SCOPES)) for _ in range(12)
    ]
    tokens = STANDARD_TOKENS if seed % 2 == 0 else odd_tokens
    return make_cards(rules, [animal(n) for n in range(animals)], [expert(n) for n in range(experts)], tokens)


def shipped() -> tuple[dict, dict] | None:
    """The ruleset and cards that ship with the simulator, read plainly; None while there are none."""
    files = {kind: STANDARD_FOLDER / f"{kind}.csv" for kind in ("animals", "experts", "tokens")}
    ruleset = STANDARD_FOLDER / "ruleset.toml"
    if not all(file.exists() for file in (ruleset, *files.values())):
        return None
    cards = {}
    for kind, file in files.items():
        with file.open(encoding="utf-8", newline="") as lines:
            cards[kind] = [dict(row) for row in csv.DictReader(lines)]
        for row in cards[kind]:
            row |= {column: int(row[column]) for column in ("id", "amount") if row.get(column)}
    return tomllib.loads(ruleset.read_text(encoding="utf-8")), cards
