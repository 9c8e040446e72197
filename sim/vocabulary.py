"""The closed lists a ruleset and a card set are written in (rules 7 and 8).

The order of every list is the order of the codes that the engine works with.
"""

from typing import Final

TRIGGERS: Final = (
    "hire",
    "embassy",
    "bank",
    "university",
    "academy",
    "expedition",
    "publication",
    "stolen",
    "round_start",
    "game_end",
)

ACTIONS: Final = ("embassy", "bank", "university", "academy", "expedition", "publication")

CONTINENT_TRIGGERS: Final = ("university", "academy", "expedition", "publication")
"""Triggers that `trigger_continent` may narrow (rule 7.1)."""

GAIN_EFFECTS: Final = ("coins", "expedition_tokens", "reputation", "vp", "seals", "animals", "research")
PASSIVE_EFFECTS: Final = ("value", "recolour", "discount")
SCORING_EFFECTS: Final = (
    "vp_per_published",
    "vp_per_category",
    "vp_per_expert",
    "vp_per_seal",
    "vp_per_coins",
)
TOKEN_ONLY_EFFECTS: Final = ("vp_per_animal", "lose_coins")

EFFECTS: Final = ("none", *GAIN_EFFECTS, *PASSIVE_EFFECTS, *SCORING_EFFECTS, *TOKEN_ONLY_EFFECTS)

EXPERT_PAIRS: Final = {
    **{trigger: frozenset(GAIN_EFFECTS) for trigger in TRIGGERS if trigger != "game_end"},
    "embassy": frozenset((*GAIN_EFFECTS, "value")),
    "university": frozenset((*GAIN_EFFECTS, "recolour")),
    "academy": frozenset((*GAIN_EFFECTS, "value", "recolour")),
    "expedition": frozenset((*GAIN_EFFECTS, "value", "recolour", "discount")),
    "publication": frozenset((*GAIN_EFFECTS, "value", "recolour")),
    "game_end": frozenset(("vp", *SCORING_EFFECTS)),
}
"""Effects that make sense with a trigger (rule 7.2, 7.3)."""

TOKEN_EFFECTS: Final = ("none", *GAIN_EFFECTS, "vp_per_expert", "vp_per_animal", "lose_coins")
SPACE_EFFECTS: Final = ("none", *GAIN_EFFECTS)
TRACK_EFFECTS: Final = ("none", *(effect for effect in GAIN_EFFECTS if effect != "reputation"))
"""Effects of the reputation track; one that moves its own marker would have no order of its bonuses (rule 10.1)."""

SCOPE_MEASURES: Final = ("vp", "animals", "coins")
SCOPES: Final = (
    "everyone",
    *(f"{extreme}:{measure}" for measure in SCOPE_MEASURES for extreme in ("fewest", "most")),
)

FILTERS: Final = {
    "research": "continent",
    "discount": "type",
    "vp_per_published": "continent or category",
    "vp_per_coins": "number",
}
"""What `effect_filter` may hold, for the effects that take one."""
