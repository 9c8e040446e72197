"""The end of the game (rule 9)."""

from tests.naive.model import AnimalCard, ExpertCard, Seat
from tests.naive.payments import by_table


def game_end_vp(expert: ExpertCard, seat: Seat, animals: dict[int, AnimalCard]) -> int:
    """VP of one working `game_end` expert (7.3)."""
    n = expert.amount
    if expert.effect == "vp":
        return n
    if expert.effect == "vp_per_published":
        cards = [animals[card] for card in seat.published]
        return n * sum(expert.filter in ("", card.continent, *card.categories) for card in cards)
    if expert.effect == "vp_per_category":
        return n * sum(count >= 1 for count in seat.categories.values())
    if expert.effect == "vp_per_expert":
        return n * sum(len(pile) for pile in seat.experts)
    if expert.effect == "vp_per_seal":
        return n * seat.seals
    if expert.effect == "vp_per_coins":
        return n * (seat.coins // int(expert.filter or 1))
    raise ValueError(expert.effect)


def score(seat: Seat, rules: dict, animals: dict[int, AnimalCard], experts: dict[int, ExpertCard]) -> dict[str, int]:
    """One seat's final score, part by part."""
    scoring = rules["scoring"]
    owned = [card for pile in seat.experts for card in pile]
    working = [experts[pile[-1]] for pile in seat.experts if pile]
    continents = [animals[card].continent for card in seat.published] + [experts[card].continent for card in owned]
    parts = {
        "vp": seat.vp,
        "category_bonus": sum(by_table(scoring["category_bonus"], n) for n in seat.categories.values()),  # 9.2
        "continent_bonus": sum(  # 9.3
            by_table(scoring["continent_bonus"], continents.count(name)) for name in rules["continents"]["names"]
        ),
        "seals": scoring["seal_vp"] * seat.seals,  # 9.4
        "coins": seat.coins // scoring["coins_per_vp"],
        "expedition_tokens": scoring["expedition_token_vp"] * seat.expedition_tokens,
        "experts": sum(game_end_vp(card, seat, animals) for card in working if card.trigger == "game_end"),
    }
    return parts | {"total": sum(parts.values())}


def win_shares(totals: list[int]) -> list[float]:
    """Each of k tied winners has 1/k (9.5)."""
    best = max(totals)
    return [1 / totals.count(best) if total == best else 0.0 for total in totals]
