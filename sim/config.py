"""Rulesets and card sets by name or path: read, laid over their base, changed, checked, hashed and written.

Everything that comes from outside enters here, and leaves as a `Configuration` that is whole and fits together.
"""

import csv
import hashlib
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import tomli_w
from pydantic import BaseModel, ConfigDict, model_validator

from sim.cardfiles import columns_of, read_cards
from sim.cardset import Animal, CardSet, Expert, RoundToken, card_faults
from sim.errors import InputError
from sim.faults import fail, one_of
from sim.overrides import TABLES, Override, cause, layered, look_up, overridden, parse, split
from sim.ruleset import Ruleset, leaves
from sim.schema import checked
from sim.sources import RULESET_FILE, Source, find, read_text, read_toml

__all__ = [
    "Animal",
    "CardSet",
    "Configuration",
    "Expert",
    "RoundToken",
    "RuleRow",
    "Ruleset",
    "cards_of",
    "content_hash",
    "export",
    "load_cards",
    "load_configuration",
    "load_ruleset",
    "ruleset_rows",
]

STANDARD: Final = "standard"


class Configuration(BaseModel):
    """A ruleset and a card set that fits it: all that a game is played with."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ruleset: Ruleset
    cards: CardSet

    @model_validator(mode="after")
    def _cards_fit(self) -> "Configuration":
        faults = card_faults(self.cards, self.ruleset)
        if faults:
            raise ValueError("; ".join(f"{fault.table}: {fault.column} {fault.message}" for fault in faults))
        return self


class RuleRow(NamedTuple):
    """One number of the rules, for a table: its key, and by which rule and from where it is known."""

    key: str
    value: Any
    provenance: str
    rule: str


def load_configuration(
    ruleset: str | Path = STANDARD, cards: str | Path | None = None, overrides: Sequence[str] = ()
) -> Configuration:
    """Load a ruleset and a card set, change them as typed and check that they fit together.

    Parameters
    ----------
    ruleset
        Name of a shipped ruleset, a TOML file, or a folder with `ruleset.toml`.
    cards
        Name of a shipped card set, or a folder with `animals.csv`, `experts.csv` and `tokens.csv`; by default the cards
        that come with the ruleset (`cards_of`).
    overrides
        Changes such as `bank.coins=12` or, by id, `experts.7.amount=3`.

    Returns
    -------
    Configuration
        Both, checked.

    Raises
    ------
    InputError
        If anything is missing, unknown or out of range; the message says where and what is allowed.

    Examples
    --------
    >>> changed = load_configuration(overrides=["bank.coins=12", "experts.7.amount=3"])
    >>> changed.ruleset.bank.coins, changed.cards.experts[6].amount
    (12, 3)
    """
    of_rules, of_cards = split(overrides)
    rules = _load_ruleset(ruleset, of_rules)
    return Configuration(ruleset=rules, cards=read_cards(cards_of(ruleset, cards), rules, of_cards))


def cards_of(ruleset: str | Path, cards: str | Path | None = None) -> str | Path:
    """Say which card set a ruleset is played with: the given one, else that in its folder, else the standard one.

    Parameters
    ----------
    ruleset
        Name of a shipped ruleset, a TOML file, or a folder with `ruleset.toml`.
    cards
        The card set that is asked for, if any.

    Returns
    -------
    str or Path
        What `load_cards` takes. A folder that holds one of the three files has to hold them all.

    Raises
    ------
    InputError
        If there is no such ruleset.

    Examples
    --------
    >>> cards_of("standard"), cards_of("standard", "my-cards/")
    ('standard', 'my-cards/')
    """
    if cards is not None:
        return cards
    source = find(ruleset, "ruleset")
    held = source.place.is_dir() and any((source / f"{table}.csv").place.is_file() for table in TABLES)
    return ruleset if held else STANDARD


def load_ruleset(name_or_path: str | Path = STANDARD, overrides: Sequence[str] = ()) -> Ruleset:
    """Load a ruleset, with its base if it names one.

    Parameters
    ----------
    name_or_path
        Name of a shipped ruleset, a TOML file, or a folder with `ruleset.toml`.
    overrides
        Changes such as `coins.offsets=2,3,3,5`.

    Returns
    -------
    Ruleset
        The checked ruleset.

    Raises
    ------
    InputError
        If anything is missing, unknown or out of range.

    Examples
    --------
    >>> load_ruleset(overrides=["coins.offsets=2,3,3,5"]).coins.offsets
    (2, 3, 3, 5)
    """
    changes = [parse(text) for text in overrides]
    for change in changes:
        if change.path[0] not in Ruleset.model_fields:
            raise InputError(
                f"override {change.text!r}: unknown key: {one_of(change.path[0], list(Ruleset.model_fields))}"
            )
    return _load_ruleset(name_or_path, changes)


def load_cards(name_or_path: str | Path, ruleset: Ruleset, overrides: Sequence[str] = ()) -> CardSet:
    """Load a card set and check that it fits a ruleset.

    Parameters
    ----------
    name_or_path
        Name of a shipped card set, or a folder with `animals.csv`, `experts.csv` and `tokens.csv`.
    ruleset
        The ruleset it is to be played with.
    overrides
        Changes by id, such as `animals.12.diet=carnivore`.

    Returns
    -------
    CardSet
        The checked cards, in the order of their files.

    Raises
    ------
    InputError
        If anything is missing, unknown or out of range.

    Examples
    --------
    >>> load_cards("standard", load_ruleset()).animals[0].name
    'African Bush Elephant'
    """
    changes = [parse(text) for text in overrides]
    for change in changes:
        if change.path[0] not in TABLES:
            raise InputError(f"override {change.text!r}: unknown table: {one_of(change.path[0], TABLES)}")
    return read_cards(name_or_path, ruleset, changes)


def _load_ruleset(name_or_path: str | Path, changes: Sequence[Override]) -> Ruleset:
    """Load a ruleset and apply changes already parsed."""
    source = _ruleset_file(find(name_or_path, "ruleset"))
    rules = _layer(source, [])
    return _accept(overridden(rules, changes), source, changes) if changes else rules


def _ruleset_file(source: Source) -> Source:
    """Return the file of a ruleset given as a folder."""
    return source / RULESET_FILE if source.place.is_dir() else source


def _layer(source: Source, above: list[Source]) -> Ruleset:
    """Load a file over its base; `above` are the files that led here."""
    identity = source.place.resolve() if isinstance(source.place, Path) else source.place
    if identity in [file.place for file in above]:
        raise InputError(f"{source.label}: key base: the file is, by way of its bases, a base of itself")
    data = read_toml(source)
    base = data.pop("base", None)
    if base is None:
        return _accept(data, source)
    if not isinstance(base, str):
        raise InputError(f"{source.label}: key base: found {base!r}; a shipped name or a path is needed")
    beside = source.place.parent if isinstance(source.place, Path) else None
    try:
        below = find(base, "ruleset", beside)
    except InputError as error:
        raise InputError(f"{source.label}: key base: {error}") from error
    return _accept(layered(_layer(_ruleset_file(below), [*above, Source(identity, "")]), data), source)


def _accept(data: dict[str, Any], source: Source, changes: Sequence[Override] = ()) -> Ruleset:
    """Check tables; a fault names the override that may have caused it, or else the file."""
    rules, faults = checked(data)
    if rules is None:
        # The file was checked before the overrides, so that one of them is to blame.
        place = ", ".join(f"override {change.text!r}" for change in changes) or source.label
        fail([f"{cause(fault.key, changes) or place}: key {fault.key}: {fault.message}" for fault in faults])
    return rules


def content_hash(model: Ruleset | CardSet | Configuration) -> str:
    """Return a short fingerprint of what matters for play.

    Parameters
    ----------
    model
        A ruleset, a card set or both.

    Returns
    -------
    str
        Twelve hexadecimal digits; the same on every machine. The name of a ruleset and its provenance do not count; the
        order of the types and of the cards does.

    Examples
    --------
    >>> standard = load_ruleset()
    >>> content_hash(standard) == content_hash(load_ruleset(overrides=["name=mine"]))
    True
    >>> content_hash(standard) == content_hash(load_ruleset(overrides=["bank.coins=4"]))
    False
    """
    content: object
    if isinstance(model, Configuration):
        content = [content_hash(model.ruleset), content_hash(model.cards)]
    elif isinstance(model, Ruleset):
        content = model.model_dump(mode="json", exclude={"name", "provenance"})
    else:
        content = model.model_dump(mode="json")
    # Keys keep the order of the models: sorting them would hide the order of the types.
    canonical = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:12]


def ruleset_rows(ruleset: Ruleset) -> list[RuleRow]:
    """Return every number of a ruleset with its rule and where it is known from.

    Parameters
    ----------
    ruleset
        The ruleset.

    Returns
    -------
    list
        One row a number, list or word, in the order of the file; provenance is S, P, A, or "changed" for a value that
        is not the standard one and does not say where it comes from.

    Examples
    --------
    >>> [row for row in ruleset_rows(load_ruleset()) if row.key == "bank.coins"]
    [RuleRow(key='bank.coins', value=5, provenance='S', rule='4.7')]
    """
    standard = load_ruleset(STANDARD)
    usual = leaves(standard)
    rows = []
    for key, value in leaves(ruleset).items():
        unchanged = key in usual and usual[key] == value
        own, known = look_up(ruleset.provenance, key), look_up(standard.provenance, key)
        if not own or (unchanged and own.startswith("changed")):
            own = known if unchanged else f"changed {known.partition(' ')[2]}"
        provenance, _, rule = own.partition(" ")
        rows.append(RuleRow(key, value, provenance, rule))
    return rows


def export(configuration: Configuration, folder: str | Path, *, overwrite: bool = False) -> list[Path]:
    """Write a configuration as files that can be edited and load again to an equal one.

    Parameters
    ----------
    configuration
        What to write.
    folder
        Where to; it is made if need be.
    overwrite
        Whether files that are there already may be replaced.

    Returns
    -------
    list
        The files written: `ruleset.toml` and the three CSV files.

    Raises
    ------
    InputError
        If a file is there already or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = export(load_configuration(), folder)
    ...     load_configuration(folder, folder) == load_configuration()
    True
    """
    texts = {RULESET_FILE: _ruleset_text(configuration.ruleset)}
    texts |= {f"{table}.csv": text for table, text in _card_texts(configuration).items()}
    target = Path(folder).expanduser()
    paths = [target / name for name in texts]
    try:
        there = [path for path in paths if path.exists()]
        if there and not overwrite:
            raise InputError(f"{there[0]} is there already; choose another folder or give --overwrite")
        target.mkdir(parents=True, exist_ok=True)
        for path, text in zip(paths, texts.values(), strict=True):
            path.write_bytes(text.encode())
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror or error}") from error
    return paths


def _ruleset_text(rules: Ruleset) -> str:
    """Return a ruleset as TOML: the shipped text with its comments where it is the same ruleset."""
    standard = load_ruleset(STANDARD)
    if rules == standard and list(rules.types) == list(standard.types):
        return read_text(_ruleset_file(find(STANDARD, "ruleset")))
    return tomli_w.dumps(rules.model_dump(mode="json"))


def _card_texts(configuration: Configuration) -> dict[str, str]:
    """Return the three CSV files by table."""
    cards, columns = configuration.cards, columns_of(configuration.ruleset)
    rows: dict[str, list[dict[str, Any]]] = {
        "animals": [
            animal.model_dump(exclude={"categories"})
            | dict(zip(configuration.ruleset.types, animal.categories, strict=True))
            for animal in cards.animals
        ],
        "experts": [expert.model_dump() for expert in cards.experts],
        "tokens": [token.model_dump() for token in cards.tokens],
    }
    texts = {}
    for table in TABLES:
        file = io.StringIO(newline="")
        writer = csv.DictWriter(file, columns[table], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[table])
        texts[table] = file.getvalue()
    return texts
