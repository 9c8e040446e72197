"""What the view says of a seat is what the snapshot of the same game says, at every decision of some games."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from sim.config import load_configuration
from sim.game import Game
from sim.jit import entry
from sim.snapshot import Table
from strategies import view

GOODS = ("coins", "expedition_tokens", "seals", "reputation", "vp")


@entry
def _goods(state, tables, seat, out):
    out[0] = view.coins(state, seat)
    out[1] = view.expedition_tokens(state, seat)
    out[2] = view.seals(state, seat)
    out[3] = view.reputation(state, seat)
    out[4] = view.vp(state, seat)
    out[5] = view.hand_count(state, seat)
    out[6] = view.published_count(state, seat)
    out[7] = view.expert_count(state, seat)


@entry
def _hand(state, tables, seat, out):
    for number in range(view.hand_count(state, seat)):
        animal = view.hand_animal(state, tables, seat, number)
        out[number, 0] = animal
        out[number, 1] = view.continent_of(tables, animal)
        out[number, 2] = view.cubes_on(state, tables, animal)
        for type_index in range(view.types(tables)):
            has = view.has_cube(state, tables, animal, type_index)
            out[number, 3 + type_index] = view.category_of(tables, animal, type_index) if has else -1


@entry
def _counts(state, tables, seat, by_continent, by_category):
    for continent in range(by_continent.shape[1]):
        by_continent[0, continent] = view.animals_in_hand(state, tables, seat, continent)
        by_continent[1, continent] = view.continent_cards(state, tables, seat, continent)
    for category in range(by_category.shape[1]):
        by_category[0, category] = view.cubes_in_hand(state, tables, seat, category)
        by_category[1, category] = view.category_cubes(state, tables, seat, category)


@entry
def _boards(state, tables, seat, spaces, displays):
    for space in range(len(spaces)):
        spaces[space] = view.die_on_board(state, tables, seat, space)
    for position in range(view.display_animals(state)):
        displays[0, position] = view.display_animal(state, tables, position)
    for position in range(view.display_experts(state)):
        displays[1, position] = view.display_expert(state, tables, position)


def _looked_at(game: Game, seat: int, sizes: dict[str, int]) -> dict[str, Any]:
    goods = np.zeros(8, dtype=np.int64)
    _goods(game.state, game.tables, seat, goods)
    hand = np.zeros((goods[5], 3 + sizes["types"]), dtype=np.int64)
    _hand(game.state, game.tables, seat, hand)
    continents = np.zeros((2, sizes["continents"]), dtype=np.int64)
    categories = np.zeros((2, sizes["categories"]), dtype=np.int64)
    _counts(game.state, game.tables, seat, continents, categories)
    spaces = np.zeros(sizes["spaces"], dtype=np.int64)
    displays = np.full((2, sizes["display"]), -1, dtype=np.int64)
    _boards(game.state, game.tables, seat, spaces, displays)
    return {
        "goods": goods.tolist(), "hand": hand.tolist(), "continents": continents.tolist(),
        "categories": categories.tolist(), "spaces": spaces.tolist(), "displays": displays.tolist(),
    }  # fmt: skip


@pytest.mark.parametrize("players", [2, 4])
def test_what_the_view_says_of_seats_is_what_lies_on_the_table(players: int) -> None:
    configuration = load_configuration()
    rules, cards = configuration.ruleset, configuration.cards
    names = [f"{name}:{item}" for name, kind in rules.types.items() for item in kind.categories]
    continents = list(rules.continents.names)
    animals = {card.id: card for card in cards.animals}
    choose = random.Random(players)
    game = Game(configuration, players=players, seed=5, luck=players)
    decisions = 0
    while not game.over:
        table = Table(game)
        shown = table.state()
        sizes = {
            "types": len(rules.types), "continents": len(continents), "categories": len(names),
            "spaces": len(shown["seats"][0]["spaces"]), "display": len(cards.animals) + len(cards.experts),
        }  # fmt: skip
        for seat, there in enumerate(shown["seats"]):
            seen = _looked_at(game, seat, sizes)
            assert seen["goods"][:5] == [there[name] for name in GOODS]
            assert seen["goods"][5] == len(there["animals"])
            assert [table.animals[row[0]] for row in seen["hand"]] == [animal["id"] for animal in there["animals"]]
            own = [animals[animal["id"]] for animal in there["animals"]]
            assert [continents[row[1]] for row in seen["hand"]] == [card.continent for card in own]
            assert [row[2] for row in seen["hand"]] == [len(animal["cubes"]) for animal in there["animals"]]
            held = Counter(names[category] for row in seen["hand"] for category in row[3:] if category >= 0)
            assert dict(zip(names, seen["categories"][0], strict=True)) == {name: held[name] for name in names}
            by_continent = Counter(card.continent for card in own)
            assert seen["continents"][0] == [by_continent[name] for name in continents]
            assert {name: n for name, n in zip(names, seen["categories"][1], strict=True) if n} == there["categories"]
            assert sum(seen["continents"][1]) == seen["goods"][6] + seen["goods"][7]
            assert seen["spaces"] == [-1 if die is None else die for die in there["spaces"]]
            assert [table.animals[row] for row in seen["displays"][0] if row >= 0] == shown["academy"]
            assert [table.experts[row] for row in seen["displays"][1] if row >= 0] == shown["university"]
        game.choose(choose.randrange(game.count))
        decisions += 1
    assert decisions > 100
