"""Make the files of `tests/data` anew, after a deliberate change of the rules or of what is recorded.

python -m tests.regenerate perft     counts, each verified against the naive twin (some minutes)
python -m tests.regenerate golden    summaries of fixed games (seconds)
python -m tests.regenerate odd       the odd rulesets that both use; make the other two anew afterwards
"""

import sys
from collections.abc import Callable
from typing import NamedTuple

from sim.config import export
from sim.game import Game
from tests import golden
from tests.lockstep import configuration_from, eager_picker
from tests.naive import samples
from tests.perft import DATA, PERFT, STANDARD, Position, configuration_named, difference, engine_counts, twin_counts

ODD = {"few": (27, 14, 9), "many": (12, 75, 55)}
"""Name of an odd ruleset → its seed, animals and experts in `tests.naive.samples`."""


class Spec(NamedTuple):
    """A position to be looked for: the `number`-th decision of a kind with at least so many options.

    The first luck to try is given; later ones follow until a game comes that far.
    """

    name: str
    cards: str
    players: int
    luck: int
    kind: str
    number: int
    depth: int
    options: int = 2


SPECS = [
    Spec("draft-of-two", STANDARD, 2, 1, "draft", 1, 6),
    Spec("dice-to-place", STANDARD, 3, 2, "place", 4, 5),
    Spec("first-turn", STANDARD, 4, 3, "target", 1, 3),
    Spec("middle-of-the-game", STANDARD, 3, 4, "target", 40, 3),
    Spec("last-round", STANDARD, 2, 5, "target", 42, 4),
    Spec("tokens-to-pay", STANDARD, 2, 6, "tokens", 3, 4, 3),
    Spec("cubes-to-research", STANDARD, 4, 7, "cube", 5, 4, 6),
    Spec("cubes-to-give", STANDARD, 2, 8, "give", 3, 5),
    Spec("who-comes-along", STANDARD, 2, 9, "along", 4, 5),
    Spec("a-full-board-of-experts", STANDARD, 2, 40, "slot", 1, 3),
    Spec("seals-to-spend", STANDARD, 4, 10, "seal", 6, 3, 8),
    Spec("the-end", STANDARD, 2, 11, "seal", 8, 3),
    Spec("few-cards", "few", 3, 12, "target", 30, 3),
    Spec("few-cards-and-seals", "few", 2, 13, "seal", 7, 3),
    Spec("many-continents", "many", 4, 14, "target", 12, 3),
    Spec("many-continents-research", "many", 2, 15, "cube", 12, 3, 5),
    Spec("many-seals", "many", 3, 16, "seal", 9, 3),
]


def find(spec: Spec) -> Position:
    """Play games with random choices, on one luck after the other, up to the position."""
    for luck in range(spec.luck, spec.luck + 100):
        game = Game(configuration_named(spec.cards), spec.players, 1, luck)
        pick = eager_picker(luck)
        path: list[tuple[object, ...]] = []
        seen = 0
        while not game.over:
            seen += game.kind == spec.kind and game.count >= spec.options
            if seen == spec.number:
                return Position(spec.cards, spec.players, 1, luck, path)
            index = pick(game)
            path.append(game.options()[index])
            game.choose(index)
    raise SystemExit(f"{spec.name}: no game has {spec.number} such decisions")


def perft() -> None:
    """Count from every position, verify with the twin, and write."""
    PERFT.mkdir(parents=True, exist_ok=True)
    for spec in SPECS:
        position = find(spec)
        game = position.game()
        for depth in range(1, spec.depth + 1):
            moves = engine_counts(game, depth)
            position.counts.append(sum(moves.values()))
        expected = twin_counts(position, spec.depth)
        if moves != expected:
            raise SystemExit(f"{spec.name}: engine and twin differ:\n{difference(expected, moves)}")
        position.moves.update(moves)
        position.save(PERFT / f"{spec.name}.json")
        print(spec.name, *position.counts)


def golden_files() -> None:
    """Write the summaries."""
    golden.GOLDEN.mkdir(parents=True, exist_ok=True)
    for fixed in golden.GAMES:
        (golden.GOLDEN / f"{fixed.name}.txt").write_text(golden.summary(fixed), encoding="utf-8")
    lines = [golden.batch_summary(cards, players) for cards, players in golden.BATCHES]
    (golden.GOLDEN / "batches.txt").write_text("".join(lines), encoding="utf-8")


def odd() -> None:
    """Write the odd rulesets and their cards."""
    for name, (seed, animals, experts) in ODD.items():
        rules = samples.odd_rules(seed) | {"name": name}
        configuration = configuration_from(rules, samples.random_cards(rules, seed, animals, experts))
        export(configuration, DATA / "odd" / name, overwrite=True)


PARTS: dict[str, Callable[[], None]] = {"odd": odd, "golden": golden_files, "perft": perft}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in PARTS:
        raise SystemExit(__doc__)
    PARTS[sys.argv[1]]()
