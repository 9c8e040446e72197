"""What a decision costs with fewer and more cards, and with fewer and more players than the standard game has.

Cards are those of the standard set: every second one, or each several times under new ids. More players than the
standard ruleset allows get its last coins, as many animals more on display as they draft, and dice enough for all.
Run it as ``python -m benchmarks.size``.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from analysis.benchmark.work import play_games
from analysis.pace import games_per_second
from analysis.runs import Plan
from analysis.tournament import make_plan
from benchmarks.section import Cell, Section, command, median_yardsticks
from sim.cardset import Animal, CardSet, Expert
from sim.config import Configuration, load_configuration

STRATEGIES = ("random", "balanced")
SHARES = (0.5, 1, 2, 4)
MORE_PLAYERS = 2
SECONDS = 0.15

Kind = TypeVar("Kind", Animal, Expert)


def _times(cards: Sequence[Kind], share: float) -> tuple[Kind, ...]:
    """Take a share of some cards, or all of them several times."""
    if share < 1:
        return tuple(cards[:: round(1 / share)])
    copies = [card for _ in range(round(share)) for card in cards]
    return tuple(card.model_copy(update={"id": number}) for number, card in enumerate(copies, start=1))


def with_cards(share: float) -> Configuration:
    """Return the standard game with a share of its animals and experts."""
    standard = load_configuration()
    cards = standard.cards
    animals, experts = _times(cards.animals, share), _times(cards.experts, share)
    return Configuration(ruleset=standard.ruleset, cards=CardSet(animals=animals, experts=experts, tokens=cards.tokens))


def with_players(more: int) -> Configuration:
    """Return the standard game, open to some more players."""
    rules = load_configuration().ruleset
    most, shown, offsets = rules.players.most + more, list(rules.display.animals), list(rules.coins.offsets)
    shown += [shown[-1] + rules.draft.animals * number for number in range(1, more + 1)]
    offsets += offsets[-1:] * more
    dice = -(-rules.dice.per_player * most // len(rules.continents.names))
    return load_configuration(
        overrides=[
            f"players.most={most}",
            f"display.animals={','.join(map(str, shown))}",
            f"coins.offsets={','.join(map(str, offsets))}",
            f"dice.per_colour={max(dice, rules.dice.per_colour)}",
        ]
    )


def cost(configuration: Configuration, strategy: str, players: int, repeats: int) -> list[Cell]:
    """Games a second, nanoseconds and yardsticks a decision, and decisions a game, in one thread."""
    plan = _endless(make_plan([strategy], players, configuration=configuration, record_cards=False))
    work = play_games(plan, 1, max(int(games_per_second(plan) * SECONDS), 1))
    nanoseconds, yardsticks = median_yardsticks(work, repeats)
    decisions = work.run() / work.games
    return [1e9 / nanoseconds / decisions, decisions, nanoseconds, yardsticks]


def _endless(plan: Plan) -> Plan:
    return replace(plan, games=plan.lineups.rounded_up(10**6))


def measure(repeats: int) -> list[Section]:
    figures = ["games/s", "decisions a game", "ns a decision", "yardsticks"]
    by_cards: list[list[Cell]] = []
    by_players: list[list[Cell]] = []
    most = load_configuration().ruleset.players.most
    wide = with_players(MORE_PLAYERS)
    for strategy in STRATEGIES:
        for share in SHARES:
            found = with_cards(share)
            counts: list[Cell] = [f"{share:g}×", len(found.cards.animals), len(found.cards.experts)]
            by_cards.append([strategy, *counts, *cost(found, strategy, most, repeats)])
        by_players += [
            [strategy, players, *cost(wide, strategy, players, repeats)]
            for players in range(wide.ruleset.players.fewest, wide.ruleset.players.most + 1)
        ]
    return [
        Section("Cards", ["strategy", "cards", "animals", "experts", *figures], by_cards, 2, f"{most} players"),
        Section("Players", ["strategy", "players", *figures], by_players, 1, "one ruleset for all of them"),
    ]


if __name__ == "__main__":
    command(measure, __doc__, repeats=5)
