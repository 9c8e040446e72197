"""What is kept of a seat's game: the columns of a record under the names and with the meaning that results have."""

from typing import Final, NamedTuple

from sim.layout import SEAT_COLUMNS


class Field(NamedTuple):
    """A recorded column: its position in a seat's record, the name results give it, and what it means."""

    position: int
    name: str
    meaning: str


_MEANINGS: Final[dict[str, tuple[str, str]]] = {
    # recorded as: (name in results, meaning)
    "total": ("total", "VP at the end of the game, everything included (9)"),
    "rank": ("rank", "1 for the most VP; tied seats share the better rank"),
    "win_ties": ("win_ties", "seats that share the win, 0 for a seat that does not win"),
    "embassy": ("embassy", "embassy actions, by a die or by a seal (4.6)"),
    "bank": ("bank", "bank actions (4.7)"),
    "university": ("university", "university actions (4.8)"),
    "academy": ("academy", "academy actions (4.9)"),
    "expedition": ("expedition", "expedition actions (4.10)"),
    "publication": ("publication", "publication actions (4.11)"),
    "dice_taken": ("dice_taken", "dice taken from other seats' boards (4.1)"),
    "dice_lost": ("dice_lost", "own dice that other seats took (4.1)"),
    "recolours_paid": ("recolours_paid", "recolours paid with expedition tokens (4.3)"),
    "recolours_free": ("recolours_free", "recolours that an expert made free (7.2)"),
    "coins_gained": ("coins_gained", "coins gained, those of the start included (2.4)"),
    "coins_spent": ("coins_spent", "coins paid for value (4.4)"),
    "coins_lost": ("coins_lost", "coins lost to round tokens (8)"),
    "tokens_gained": ("expedition_tokens_gained", "expedition tokens gained, those of the start included (2.4)"),
    "tokens_spent": ("expedition_tokens_spent", "expedition tokens paid for recolours and value (4.3, 4.4)"),
    "reputation_gained": ("reputation_gained", "reputation gained, points beyond the track included (10.1)"),
    "seals_gained": ("seals_gained", "royal seals gained"),
    "seals_used": ("seals_used", "royal seals spent on an action at a round's end (6.1)"),
    "animals_drafted": ("animals_drafted", "animals taken in the draft (2.3)"),
    "animals_taken": ("animals_taken", "animals taken in the academy (4.9)"),
    "animals_drawn": ("animals_drawn", "animals drawn from the deck by effects (7.2)"),
    "animals_published": ("animals_published", "animals published (5.7)"),
    "experts_hired": ("experts_hired", "experts hired (4.8)"),
    "experts_over": ("experts_over", "of these, put on top of another expert"),
    "experts_under": ("experts_under", "of these, put under other experts"),
    "cubes_researched": ("cubes_researched", "cubes put on animals (4.10)"),
    "cubes_scored": ("cubes_scored", "cubes moved to category spaces (5.4)"),
    "vp_cubes": ("vp_cubes", "VP for cubes moved to category spaces (5.5)"),
    "vp_animals": ("vp_animals", "VP for published animals (5.7)"),
    "vp_spaces": ("vp_spaces", "VP for own dice that others took (4.1)"),
    "vp_tokens": ("vp_round_tokens", "VP from round tokens, negative if lost (8)"),
    "vp_track": ("vp_track", "VP from the reputation track and beyond it (10.1)"),
    "vp_experts": ("vp_experts", "VP from experts during the game (7.2)"),
    "vp_categories": ("vp_categories", "VP for category spaces with many cubes (9.2)"),
    "vp_continents": ("vp_continents", "VP for continents with many animals and experts (9.3)"),
    "vp_seals": ("vp_seals", "VP for seals left (9.4)"),
    "vp_coins": ("vp_coins", "VP for coins left (9.4)"),
    "vp_expedition_tokens": ("vp_expedition_tokens", "VP for expedition tokens left (9.4)"),
    "vp_experts_end": ("vp_experts_end", "VP from experts at the end of the game (7.3)"),
    "categories_used": ("categories_used", "category spaces with at least one own cube"),
    "categories_bonus": ("categories_bonus", "category spaces that paid a bonus (9.2)"),
    "continents_bonus": ("continents_bonus", "continents that paid a bonus (9.3)"),
    "coins_left": ("coins_left", "coins at the end"),
    "tokens_left": ("expedition_tokens_left", "expedition tokens at the end"),
    "seals_left": ("seals_left", "royal seals at the end"),
    "animals_left": ("animals_left", "unpublished animals discarded at the end (9.1)"),
    "reputation": ("reputation", "space of the reputation track at the end"),
    "experts_owned": ("experts_owned", "experts at the end, covered ones too"),
}

SEAT_FIELDS: Final = tuple(Field(position, *_MEANINGS[column]) for position, column in enumerate(SEAT_COLUMNS))
"""Every recorded column of a seat, in the order of `sim.layout.SEAT_COLUMNS`."""
SCORE_FIELDS: Final = tuple(field.name for field in SEAT_FIELDS if field.name.startswith("vp_"))
"""The parts of a score; they add up to the total."""
