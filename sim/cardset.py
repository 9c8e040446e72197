"""Animals, experts and round tokens: their models, and what makes a card set fit a ruleset (rules 1.2, 7, 8)."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from pydantic import BaseModel, ConfigDict

from sim.faults import one_of
from sim.ruleset import LARGEST, Ruleset
from sim.vocabulary import CONTINENT_TRIGGERS, EFFECTS, EXPERT_PAIRS, FILTERS, SCOPES, TOKEN_EFFECTS, TRIGGERS

LARGEST_ID: Final = 1_000_000


class Card(BaseModel):
    """Base of everything that has a row and an id."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: int
    name: str


class Animal(Card):
    """An animal card; `categories` has one entry for each type, in the order of the ruleset's types."""

    latin: str
    continent: str
    categories: tuple[str, ...]


class Expert(Card):
    """An expert card (rule 7)."""

    continent: str
    trigger: str
    trigger_continent: str | None = None
    effect: str
    amount: int
    effect_filter: str | None = None


class RoundToken(Card):
    """A round token (rule 8)."""

    effect: str
    amount: int
    scope: str = "everyone"


class CardSet(BaseModel):
    """The cards and tokens of a game, in the order of their files."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    animals: tuple[Animal, ...]
    experts: tuple[Expert, ...]
    tokens: tuple[RoundToken, ...]


class CardFault(NamedTuple):
    """What is wrong with a card (`row` of its table, from 0), or with the table as a whole (no row)."""

    table: str
    row: int | None
    column: str
    message: str


def card_faults(cards: CardSet, rules: Ruleset) -> list[CardFault]:
    """Find everything that keeps a card set from being played with a ruleset.

    Parameters
    ----------
    cards
        The card set.
    rules
        The ruleset, which knows continents, types and categories.

    Returns
    -------
    list
        The faults in the order of the cards; empty for a card set that fits. Rules 1.2, 2.1, 2.3, 7 and 8.

    Examples
    --------
    >>> from sim.config import load_configuration
    >>> standard = load_configuration()
    >>> card_faults(standard.cards, standard.ruleset)
    []
    """
    faults = list(_table_faults(cards, rules))
    for index, animal in enumerate(cards.animals):
        faults += [CardFault("animals", index, *fault) for fault in _animal_faults(animal, rules)]
    for index, expert in enumerate(cards.experts):
        faults += [CardFault("experts", index, *fault) for fault in _expert_faults(expert, rules)]
    for index, token in enumerate(cards.tokens):
        faults += [CardFault("tokens", index, *fault) for fault in _token_faults(token)]
    return faults


def _table_faults(cards: CardSet, rules: Ruleset) -> Iterator[CardFault]:
    """Find ids given twice, and tables with too few or too many rows."""
    drafted = rules.draft.animals * rules.players.most
    needs = {
        "animals": (cards.animals, max(drafted, 1), f"the draft of {rules.players.most} players needs"),
        "experts": (cards.experts, 1, "the university needs"),
        "tokens": (cards.tokens, rules.rounds, "one a round is needed, rounds ="),
    }
    for table, (rows, least, reason) in needs.items():
        yield from _id_faults(table, rows)
        if len(rows) < least:
            yield CardFault(table, None, "", f"found {len(rows)} rows; {reason} {least}")
        if len(rows) > LARGEST:
            yield CardFault(table, None, "", f"found {len(rows)} rows; allowed: {LARGEST} or fewer")


def _id_faults(table: str, rows: Sequence[Card]) -> Iterator[CardFault]:
    """Find ids out of range or used before."""
    seen: set[int] = set()
    for index, card in enumerate(rows):
        if not 1 <= card.id <= LARGEST_ID:
            yield CardFault(table, index, "id", f"found {card.id}; allowed: 1 to {LARGEST_ID}")
        if card.id in seen:
            yield CardFault(table, index, "id", f"found {card.id} a second time; every id is given once")
        seen.add(card.id)


def _animal_faults(animal: Animal, rules: Ruleset) -> Iterator[tuple[str, str]]:
    """Find a continent or category that the ruleset does not know."""
    if animal.continent not in rules.continents.names:
        yield "continent", one_of(animal.continent, rules.continents.names)
    if len(animal.categories) != len(rules.types):
        yield "categories", f"found {len(animal.categories)}; one for each type is needed: {', '.join(rules.types)}"
    for (name, kind), category in zip(rules.types.items(), animal.categories, strict=False):
        if category not in kind.categories:
            yield name, one_of(category, kind.categories)


def _expert_faults(expert: Expert, rules: Ruleset) -> Iterator[tuple[str, str]]:
    """Find words that are unknown or make no sense together."""
    if expert.continent not in rules.continents.names:
        yield "continent", one_of(expert.continent, rules.continents.names)
    if expert.trigger not in TRIGGERS:
        yield "trigger", one_of(expert.trigger, TRIGGERS)
    elif expert.effect in EFFECTS and expert.effect not in EXPERT_PAIRS[expert.trigger]:
        sensible = [effect for effect in EFFECTS if effect in EXPERT_PAIRS[expert.trigger]]
        yield "effect", f"makes no sense with trigger {expert.trigger!r}: {one_of(expert.effect, sensible)}"
    yield from _trigger_continent_faults(expert, rules)
    if expert.effect not in EFFECTS:
        yield "effect", one_of(expert.effect, EFFECTS)
        return
    yield from _amount_faults(expert.effect, expert.amount)
    message = _filter_fault(expert.effect, expert.effect_filter, rules)
    if message:
        yield "effect_filter", message


def _trigger_continent_faults(expert: Expert, rules: Ruleset) -> Iterator[tuple[str, str]]:
    """Find a continent where the trigger has none (rule 7.1)."""
    continent = expert.trigger_continent
    if continent is None:
        return
    if expert.trigger not in CONTINENT_TRIGGERS:
        wants = ", ".join(CONTINENT_TRIGGERS)
        yield "trigger_continent", f"found {continent!r} with trigger {expert.trigger!r}; allowed only with: {wants}"
    elif continent not in rules.continents.names:
        yield "trigger_continent", one_of(continent, rules.continents.names)


def _amount_faults(effect: str, amount: int) -> Iterator[tuple[str, str]]:
    """Find an amount out of range: only points may be taken away (rule 8)."""
    least = -LARGEST if effect.startswith("vp") else 0
    if effect == "recolour" and amount != 1:
        yield "amount", f"found {amount}; allowed with recolour: 1"
    elif not least <= amount <= LARGEST:
        yield "amount", f"found {amount}; allowed with {effect}: {least} to {LARGEST}"


def _filter_fault(effect: str, text: str | None, rules: Ruleset) -> str:
    """Say what is wrong with the filter of an effect, or nothing (rules 7.2, 7.3)."""
    kind = FILTERS.get(effect)
    if kind is None:
        takers = ", ".join(FILTERS)
        return f"found {text!r}; {effect} takes no filter, only: {takers}" if text is not None else ""
    if kind == "number":
        good = text is not None and re.fullmatch(r"[1-9][0-9]{0,3}", text) and int(text) <= LARGEST
        return "" if good else f"found {text or ''!r}; a number of coins is needed, 1 to {LARGEST}"
    if text is None:
        return ""
    allowed = list(rules.types) if kind == "type" else list(rules.continents.names)
    if kind == "continent or category":
        allowed += [f"{name}:{category}" for name, rule in rules.types.items() for category in rule.categories]
    return "" if text in allowed else one_of(text, allowed)


def _token_faults(token: RoundToken) -> Iterator[tuple[str, str]]:
    """Find words and amounts that a round token cannot have (rule 8)."""
    if token.effect not in TOKEN_EFFECTS:
        yield "effect", one_of(token.effect, TOKEN_EFFECTS)
    else:
        yield from _amount_faults(token.effect, token.amount)
    if token.scope not in SCOPES:
        yield "scope", one_of(token.scope, SCOPES)
