"""What a run is: all that decides its results, and what differs between two runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from analysis.columns import SCHEMA_VERSION
from analysis.runs import Plan
from analysis.version import engine_hash, program_version
from sim.config import content_hash
from sim.errors import InputError
from strategies.api import fingerprint

_SHORT: Final = 80


def identity_of(plan: Plan, options: Mapping[str, Any]) -> dict[str, Any]:
    """Say all that decides what a run's results are, as far as the plan's strategies come from specs.

    Parameters
    ----------
    plan
        What is run.
    options
        What else belongs to it, such as names of ruleset and card set and the overrides as typed.

    Returns
    -------
    dict
        What a run that is resumed must agree with, key by key; it can be written as JSON.
    """
    experiment = plan.experiment
    return {
        "program version": program_version(),
        "engine": engine_hash(),
        "schema version": SCHEMA_VERSION,
        "strategies": [player.name for player in plan.strategies],
        "code of strategy": {player.name: fingerprint(player.name)[:16] for player in plan.strategies},
        "players": plan.lineups.players,
        "games": plan.games,
        "seed": plan.seed,
        "ruleset": plan.configuration.ruleset.name,
        "ruleset hash": content_hash(plan.configuration.ruleset),
        "cards hash": content_hash(plan.configuration.cards),
        "record cards": plan.record_cards,
        "lineup members": hashlib.sha256(plan.lineups.members.tobytes()).hexdigest()[:12],
        "experiment": {
            "banned_animals": list(experiment.banned_animals),
            "banned_experts": list(experiment.banned_experts),
            "given_animals": {str(card): seat for card, seat in experiment.given_animals.items()},
            "given_experts": {str(card): seat for card, seat in experiment.given_experts.items()},
        },
        **options,
    }


def differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> list[str]:
    """Say what differs between the run that is there and the one that is wanted.

    Parameters
    ----------
    there
        Identity as it was read from a file.
    here
        Identity of what is wanted now.

    Returns
    -------
    list
        A text each; none if they are the same run.

    Examples
    --------
    >>> differences({"seed": 1, "games": 8}, {"seed": 2, "games": 8})
    ['seed: 1 there, 2 now']
    """
    old, new = _flat(there), _flat(json.loads(json.dumps(here)))
    return [
        f"{key}: {_short(old.get(key))} there, {_short(new.get(key))} now"
        for key in dict.fromkeys([*old, *new])
        if old.get(key) != new.get(key)
    ]


def require_same(folder: Path, there: Mapping[str, Any], here: Mapping[str, Any]) -> None:
    """Refuse to go on with another run, naming what differs.

    Parameters
    ----------
    folder
        Where the run is that is there.
    there, here
        See `differences`.

    Raises
    ------
    InputError
        If they are not the same run.
    """
    if differing := differences(there, here):
        raise InputError(
            f"{folder}: holds another run, which cannot be resumed with this: {'; '.join(differing)}; "
            "choose another folder, or --overwrite throws it away"
        )


def _flat(identity: Mapping[str, Any]) -> dict[str, Any]:
    """Give every entry of an inner table a key of its own."""
    flat: dict[str, Any] = {}
    for key, value in identity.items():
        if isinstance(value, dict):
            flat |= {f"{key} {inner}": content for inner, content in value.items()}
        else:
            flat[key] = value
    return flat


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHORT else text[:_SHORT] + "…"
