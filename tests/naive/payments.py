"""Which payments are offered (rule 4.4)."""

from collections.abc import Callable, Iterable


def by_table(table: list[int], number: int) -> int:
    """Entry for 1, 2, …; the last entry holds for every higher number, and below 1 there is nothing."""
    return table[min(number, len(table)) - 1] if number >= 1 and table else 0


def offered(possible: Callable[[int, int], frozenset], coins: int, tokens: int) -> list[tuple[int, int]]:
    """
    Payments (coins, tokens) of which nothing can be left out without loss.

    Parameters
    ----------
    possible
        What becomes possible with a payment, as a set; a payment may only be left out if the set stays whole.
    coins, tokens
        The most that can be paid.
    """
    payments = []
    for c in range(coins + 1):
        for t in range(tokens + 1):
            one_less = [(c - 1, t)] * (c > 0) + [(c, t - 1)] * (t > 0)
            if all(possible(*less) < possible(c, t) for less in one_less):  # `<` is "a smaller set"
                payments.append((c, t))
    return payments


def subset_sums(costs: Iterable[int]) -> set[int]:
    """Totals of all sets of these costs, the empty set included."""
    sums = {0}
    for cost in costs:
        sums |= {total + cost for total in sums}
    return sums
