"""The contract that every strategy keeps, built in or from a file, tried out in games of many kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from sim.batch import StrategyError
from sim.config import Configuration, load_configuration
from strategies.probe import PATIENCE, watched
from strategies.trial import RULES, Outcome, Setting, Trial

UNUSUAL: Final = {
    "one round": ["rounds=1", "draft.animals=0", "start.expedition_tokens=0", "bank.coins=1"],
    "rich": [
        "coins.offsets=[40, 40, 40, 40]", "start.expedition_tokens=9", "boost.per_coin=2", "boost.per_token=5",
        "recolour.expedition_tokens=0", "scoring.coins_per_vp=7", "scoring.seal_vp=0",
    ],
    "many seals": [
        "seals.per_round=3", "publication.seals=2", "start_player=rotate", "dice.sides=9", "dice.per_colour=9",
        "board.spaces.3.effect=seals", "board.spaces.4.effect=animals", "board.spaces.4.amount=1",
        "reputation.track.4.effect=research",
    ],
    "few cards": [
        "university.spaces=1", "display.experts=1", "display.animals=[2, 3, 4]", "draft.animals=1", "dice.sides=2",
        "expedition.reputation=[7]", "publication.animal_vp=-3", "scoring.category_bonus=[2]",
        "scoring.continent_bonus=[0, 0, 40]",
    ],
}  # fmt: skip
"""Changes of the standard rules that a strategy should survive: label → overrides."""


@dataclass(frozen=True)
class Report:
    """What checking a strategy found.

    Attributes
    ----------
    spec
        The strategy.
    faults
        Rule of `strategies.trial.RULES` → what was found against it.
    games, decisions
        How many it played and was asked.
    slowest
        Seconds of the slowest decision.
    unchecked
        Rules that could not be looked at, because of what was found before.
    """

    spec: str
    faults: dict[str, str]
    games: int
    decisions: int
    slowest: float
    unchecked: frozenset[str] = frozenset()

    @property
    def passed(self) -> bool:
        """Whether nothing was found."""
        return not self.faults

    def __str__(self) -> str:
        """Say it in a few lines."""
        lines = [f"{self.spec}: {'keeps' if self.passed else 'breaks'} the contract of strategies"]
        for rule, meaning in RULES.items():
            if rule in self.unchecked:
                lines.append(f"  –   {rule}: not checked")
            else:
                fault = self.faults.get(rule)
                lines.append(f"  {'NO ' if fault else 'yes'} {rule}: {fault or meaning}")
        if self.decisions:
            slowest = 1000 * self.slowest
            lines.append(f"  {self.games} games, {self.decisions} decisions, the slowest took {slowest:.1f} ms")
        return "\n".join(lines)


def settings(configuration: Configuration | None = None, games: int = 4) -> tuple[Setting, ...]:
    """List the games a strategy is checked in: each number of players, then unusual rules and cards.

    Parameters
    ----------
    configuration
        What is usual; the standard rules and cards by default.
    games
        Games for each number of players; half as many of each unusual kind.

    Returns
    -------
    tuple of Setting

    Examples
    --------
    >>> [setting.players for setting in settings()][:3]
    [2, 3, 4]
    """
    usual = configuration or load_configuration()
    numbers = range(usual.ruleset.players.fewest, usual.ruleset.players.most + 1)
    listed = [Setting(f"{players} players", usual, players, games) for players in numbers]
    for place, (label, overrides) in enumerate(UNUSUAL.items()):
        listed.append(Setting(f"rules {label!r}", load_configuration(overrides=overrides), 2 + place % 3, games // 2))
    listed.append(Setting("a small set of cards", small_configuration(), 3, games // 2))
    return tuple(listed)


def small_configuration() -> Configuration:
    """Take two continents and a type out of the standard rules and cards, and all that belongs to them.

    Examples
    --------
    >>> len(small_configuration().ruleset.types)
    3
    """
    standard = load_configuration(overrides=["dice.per_colour=8"])
    data = standard.model_dump()
    rules, cards = data["ruleset"], data["cards"]
    kept = rules["continents"]["names"] = rules["continents"]["names"][:3]
    removed = list(rules["types"])[-1]
    del rules["types"][removed]
    gone = f"types.{removed}."
    rules["provenance"] = {key: why for key, why in rules["provenance"].items() if not key.startswith(gone)}
    cards["animals"] = [
        {**card, "categories": card["categories"][:-1]} for card in cards["animals"] if card["continent"] in kept
    ]
    cards["experts"] = [
        card
        for card in cards["experts"]
        if card["continent"] in kept and removed not in str(card["effect_filter"] or "")
    ]
    return Configuration.model_validate(data)


def check(
    spec: str,
    configuration: Configuration | None = None,
    *,
    games: int = 4,
    patience: float = PATIENCE,
    compiler_off: bool = True,
) -> Report:
    """Check a strategy against the contract, in processes of its own.

    Parameters
    ----------
    spec
        See `strategies.spec`.
    configuration
        Rules and cards it is meant for; the standard ones by default. Unusual ones are tried as well.
    games
        Games for each number of players.
    patience
        Seconds a decision may take.
    compiler_off
        Play a little in pure Python as well: there, reading outside an array is an error that names its line.

    Returns
    -------
    Report
        What was found.

    Examples
    --------
    >>> check("random", games=2, compiler_off=False).passed
    True
    """
    listed = settings(configuration, games)
    outcome = _outcome(Trial(spec, listed), patience)
    without_compiler = compiler_off and not outcome.faults
    if without_compiler:
        outcome = _without_compiler(spec, listed, outcome, patience)
    faults: dict[str, str] = {}
    for rule, what in outcome.faults:
        faults.setdefault(rule, what)
    # A strategy that does not load, never returns or ends its process shows nothing else.
    unchecked = set() if outcome.decisions else set(RULES) - {"loads"}
    unchecked |= set() if without_compiler else {"stays inside"}
    return Report(spec, faults, outcome.games, outcome.decisions, outcome.slowest, frozenset(unchecked - faults.keys()))


def _outcome(trial: Trial, patience: float, *, compiler: bool = True) -> Outcome:
    try:
        return watched(trial, patience=patience, compiler=compiler)
    except StrategyError as error:
        return Outcome([("raises nothing", str(error))])


def _without_compiler(spec: str, listed: Sequence[Setting], compiled: Outcome, patience: float) -> Outcome:
    """Play two games again in pure Python, and see that they are the same."""
    chosen = [0, len(listed) - 1]
    few = tuple(replace(listed[place], games=1) for place in chosen)
    with_compiler = _outcome(Trial(spec, few, twice=False), patience)
    plain = _outcome(Trial(spec, few, twice=False), 10 * patience, compiler=False)
    if plain.faults:
        rule, what = plain.faults[0]
        compiled.faults.append(("stays inside", f"with the compiler off: {rule}: {what}"))
    elif plain.choices != with_compiler.choices:
        compiled.faults.append(
            ("stays inside", "plays otherwise with the compiler off: it reads what is not its own, or numbers overflow")
        )
    return compiled


def check_strategy(spec: str) -> str:
    """Check a strategy and say what was found, for a command.

    Raises
    ------
    StrategyError
        If it breaks the contract; the message is the report.
    """
    report = check(spec)
    if not report.passed:
        raise StrategyError(str(report))
    return str(report)
