"""The engine against its naive twin, which was written from the rules page alone."""

import functools
from collections import Counter

import pytest

from sim.config import Configuration, load_configuration
from tests.lockstep import Pair, configuration_from, eager_picker, engine_snapshot, play_pair, twin_snapshot
from tests.naive import samples

SEED = 20_240_917
STANDARD, ODD = "standard", range(1, 11)
FEW = (14, 9)
"""Animals and experts of a small card set, whose decks are remade often."""
EVERY_KIND = {"draft", "place", "target", "die", "recolour", "tokens", "coins", "slot", "cube", "give", "along", "seal"}


@functools.cache
def configuration(number: str | int) -> Configuration:
    """The standard game, or a random ruleset with random cards."""
    if number == STANDARD:
        return load_configuration()
    rules = samples.odd_rules(int(number))
    cards = samples.random_cards(rules, int(number), *(FEW if int(number) % 3 == 0 else ()))
    return configuration_from(rules, cards)


def play_games(number: str | int, players: int, lucks: range) -> Counter[str]:
    """Play games in lock step; every third one with two animals banned."""
    seen: Counter[str] = Counter()
    for luck in lucks:
        rules = configuration(number)
        spare = len(rules.cards.animals) - rules.ruleset.draft.animals * players
        banned = [card.id for card in rules.cards.animals[luck % 7 :: 5]][: min(2, spare)] if luck % 3 == 0 else []
        seen += play_pair(Pair(rules, players, SEED, luck, banned), eager_picker(luck))
    return seen


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("number", [STANDARD, *ODD])
def test_twin(number: str | int, players: int) -> None:
    seen = play_games(number, players, range(7 if number == STANDARD else 6))
    if number == STANDARD:
        assert set(seen) >= EVERY_KIND - {"slot"}


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("chunk", range(20))
def test_twin_at_length(chunk: int) -> None:
    """All chunks together: 10,560 games of the standard game and 200 odd ones."""
    seen: Counter[str] = Counter()
    for number in [STANDARD, *range(100 + 10 * chunk, 110 + 10 * chunk)]:
        for players in (2, 3, 4):
            start = 1000 + 16 * chunk
            seen += play_games(number, players, range(start, start + 16))
    print(dict(seen))
    assert set(seen) >= {*EVERY_KIND, "animal remakes"}
    assert seen["games"] == 11 * 3 * 16


def test_the_comparison_sees_a_difference() -> None:
    """A coin too many in one of the two games is found at once."""
    pair = Pair(configuration(STANDARD), 2, SEED, 0)
    assert engine_snapshot(pair.game) == twin_snapshot(pair.twin)
    pair.twin.seats[0].coins += 1
    assert engine_snapshot(pair.game) != twin_snapshot(pair.twin)
    with pytest.raises(AssertionError, match="after choices"):
        pair.compare()
