"""Hypothesis strategies that every test may reuse: rulesets, card sets, set-ups, experiments, line-ups, seeds.

All of them shrink towards the plainest game: two players, one round, few cards.
"""

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from sim import vocabulary
from sim.cardset import Animal, CardSet, Expert, RoundToken
from sim.config import Configuration
from sim.ruleset import Ruleset
from sim.tables import NO_EXPERIMENT, Experiment

SEEDS = st.integers(0, 2**63 - 1)
LUCKS = st.integers(0, 2**63 - 1)
CONTINENTS = ("Africa", "Americas", "Asia", "Europe", "Oceania", "Moon", "Mars", "Venus")
TYPES = ("class", "diet", "habitat", "climate", "size", "sound")


@dataclass(frozen=True)
class SetUp:
    """Everything that makes a game: rules and cards, seats, chance, and what chooses (a seed for `random.Random`)."""

    configuration: Configuration
    players: int
    seed: int
    luck: int
    choices: int
    experiment: Experiment = NO_EXPERIMENT


@st.composite
def gains(draw: st.DrawFn, effects: tuple[str, ...], largest: int = 4) -> dict[str, Any]:
    """Something a space pays."""
    effect = draw(st.sampled_from(effects))
    return {"effect": effect, "amount": draw(st.integers(-2 if effect == "vp" else 0, largest))}


def steps(largest: int, least: int = 0) -> st.SearchStrategy[list[int]]:
    """A list by value or count; it may fall as well as rise."""
    return st.lists(st.integers(least, largest), min_size=1, max_size=9)


@st.composite
def rulesets(draw: st.DrawFn, most_players: int = 6) -> Ruleset:
    """Rules that fit together, with any of their numbers changed."""
    most = draw(st.integers(2, most_players))
    continents = CONTINENTS[: draw(st.integers(1, len(CONTINENTS)))]
    per_player = draw(st.integers(1, 5))
    spaces = per_player + draw(st.integers(0, 2))
    drafted = draw(st.integers(0, 3))
    length = draw(st.integers(0, 30))
    count = draw(st.integers(1, len(TYPES)))
    levels = sorted(draw(st.lists(st.integers(1, 9), min_size=count, max_size=count)))
    track = draw(st.sets(st.integers(1, length), max_size=8)) if length else set()
    amount = st.integers(0, 4)
    points = st.integers(-1, 6)
    return Ruleset.model_validate(
        {
            "name": "drawn",
            "rounds": draw(st.integers(1, 4)),
            "start_player": draw(st.sampled_from(["fixed", "rotate"])),
            "players": {"fewest": 2, "most": most},
            "dice": {
                "per_colour": -(-per_player * most // len(continents)) + draw(st.integers(0, 2)),
                "sides": draw(st.integers(1, 8)),
                "per_player": per_player,
            },
            "display": {
                "experts": draw(st.integers(0, 7)),
                "animals": [drafted * players + draw(amount) for players in range(2, most + 1)],
            },
            "draft": {"animals": drafted},
            "start": {"expedition_tokens": draw(amount)},
            "coins": {"offsets": [draw(amount) for _ in range(most)]},
            "board": {"spaces": {str(k): draw(gains(vocabulary.SPACE_EFFECTS)) for k in range(1, spaces + 1)}},
            "recolour": {"expedition_tokens": draw(st.integers(0, 2))},
            "boost": {"per_coin": draw(st.integers(0, 3)), "per_token": draw(st.integers(0, 4))},
            "embassy": {"expedition_tokens": draw(steps(4))},
            "bank": {"coins": draw(st.integers(0, 9))},
            "university": {"spaces": draw(st.integers(1, 5)), "match_reputation": draw(amount)},
            "academy": {"reputation": draw(steps(4))},
            "expedition": {"reputation": draw(steps(5))},
            "publication": {"seals": draw(st.integers(0, 2)), "animal_vp": draw(points)},
            "continents": {"names": continents},
            "types": {
                name: {
                    "categories": [f"{name} {k}" for k in range(draw(st.integers(1, 4)))],
                    "cost": draw(st.integers(1, 4)),
                    "publish_from": level,
                    "vp": draw(points),
                }
                for name, level in zip(TYPES, levels, strict=False)
            },
            "seals": {"per_round": draw(st.integers(0, 3))},
            "scoring": {
                "category_bonus": draw(steps(15, least=-3)),
                "continent_bonus": draw(steps(15, least=-3)),
                "seal_vp": draw(points),
                "coins_per_vp": draw(st.integers(1, 4)),
                "expedition_token_vp": draw(points),
            },
            "reputation": {
                "beyond_vp": draw(points),
                "length": length,
                "track": {str(space): draw(gains(vocabulary.TRACK_EFFECTS)) for space in track},
            },
        }
    )


@st.composite
def card_sets(draw: st.DrawFn, rules: Ruleset) -> CardSet:
    """Cards that fit a ruleset, with everything the vocabulary allows; how many there are shrinks, not each of them."""
    least = max(rules.draft.animals * rules.players.most, 1)
    animals = draw(st.integers(least, least + 60))
    experts = draw(st.integers(1, 60))
    rng = random.Random(draw(st.integers(0, 2**32 - 1)))
    # Ids say nothing about the order of the rows.
    ids = rng.sample(range(1, 1000), animals + experts)
    return CardSet(
        animals=tuple(_animal(rng, rules, identity) for identity in ids[:animals]),
        experts=tuple(_expert(rng, rules, identity) for identity in ids[animals:]),
        tokens=tuple(_token(rng, number) for number in range(1, rules.rounds + 1 + rng.randint(0, 6))),
    )


def _animal(rng: random.Random, rules: Ruleset, identity: int) -> Animal:
    return Animal(
        id=identity,
        name=f"animal {identity}",
        latin=f"Bestia {identity}",
        continent=rng.choice(rules.continents.names),
        categories=tuple(rng.choice(kind.categories) for kind in rules.types.values()),
    )


def _expert(rng: random.Random, rules: Ruleset, identity: int) -> Expert:
    trigger = rng.choice(vocabulary.TRIGGERS)
    effect = rng.choice(sorted(vocabulary.EXPERT_PAIRS[trigger]))
    continents = rules.continents.names
    narrow = trigger in vocabulary.CONTINENT_TRIGGERS and rng.random() < 0.4
    categories = [f"{name}:{category}" for name, kind in rules.types.items() for category in kind.categories]
    filters = {
        "continent": [None, *continents],
        "type": [None, *rules.types],
        "continent or category": [None, *continents, *categories],
        "number": ["1", "2", "3"],
    }
    return Expert(
        id=identity,
        name=f"expert {identity}",
        continent=rng.choice(continents),
        trigger=trigger,
        trigger_continent=rng.choice(continents) if narrow else None,
        effect=effect,
        amount=1 if effect == "recolour" else rng.randint(-2 if effect.startswith("vp") else 0, 4),
        effect_filter=rng.choice(filters[vocabulary.FILTERS[effect]]) if effect in vocabulary.FILTERS else None,
    )


def _token(rng: random.Random, identity: int) -> RoundToken:
    effect = rng.choice(vocabulary.TOKEN_EFFECTS)
    amount = rng.randint(-2 if effect.startswith("vp") else 0, 4)
    return RoundToken(id=identity, name=effect, effect=effect, amount=amount, scope=rng.choice(vocabulary.SCOPES))


@st.composite
def configurations(draw: st.DrawFn, most_players: int = 6) -> Configuration:
    """A ruleset and a card set that fits it."""
    rules = draw(rulesets(most_players))
    return Configuration(ruleset=rules, cards=draw(card_sets(rules)))


@st.composite
def experiments(draw: st.DrawFn, configuration: Configuration, players: int) -> Experiment:
    """A few cards banned, a few others given to seats."""
    parts: dict[str, Any] = {}
    for kind in ("animals", "experts"):
        cards = [card.id for card in getattr(configuration.cards, kind)]
        chosen = draw(st.lists(st.sampled_from(cards), unique=True, max_size=6))
        cut = draw(st.integers(0, len(chosen)))
        parts[f"banned_{kind}"] = chosen[:cut]
        parts[f"given_{kind}"] = {card: draw(st.integers(0, players - 1)) for card in chosen[cut:]}
    return Experiment(**parts)


@st.composite
def set_ups(draw: st.DrawFn, most_players: int = 6, with_experiments: bool = True) -> SetUp:
    """A whole game: rules, cards, number of seats, chance and choices."""
    configuration = draw(configurations(most_players))
    players = draw(st.integers(configuration.ruleset.players.fewest, configuration.ruleset.players.most))
    experiment = draw(st.one_of(st.just(NO_EXPERIMENT), experiments(configuration, players)))
    return SetUp(
        configuration,
        players,
        draw(SEEDS),
        draw(LUCKS),
        draw(st.integers(0, 2**32 - 1)),
        experiment if with_experiments else NO_EXPERIMENT,
    )


def line_ups(names: list[str], players: int) -> st.SearchStrategy[list[str]]:
    """Who sits beside whom; a name may come more than once."""
    return st.lists(st.sampled_from(names), min_size=players, max_size=players)


def reordered(configuration: Configuration, seed: int) -> Configuration:
    """The same cards and tokens in another order: equal in distribution, other deals."""
    shuffled = np.random.default_rng(seed)
    cards = configuration.cards
    update = {
        name: tuple(getattr(cards, name)[row] for row in shuffled.permutation(len(getattr(cards, name))))
        for name in ("animals", "experts", "tokens")
    }
    return configuration.model_copy(update={"cards": cards.model_copy(update=update)})
