"""The rules as a generator that yields decisions."""

from collections import Counter
from collections.abc import Generator

from tests.naive.luck import Luck
from tests.naive.model import (
    AREAS,
    Animal,
    Board,
    Decision,
    Deck,
    ExpertCard,
    Option,
    Seat,
    read_animals,
    read_experts,
    read_tokens,
)
from tests.naive.payments import by_table, offered, subset_sums
from tests.naive.scoring import score, win_shares

Play = Generator[Decision, Option, None]
PASSIVE = ("value", "recolour", "discount")


def ask(seat: Seat, kind: str, options: list[Option]) -> Generator[Decision, Option, Option]:
    """Let a player choose; a single option is taken without asking."""
    if len(options) == 1:
        return options[0]
    return (yield Decision(seat.number, kind, options))


class Game:
    """
    One game, from the deal to the score.

    Parameters
    ----------
    ruleset
        The ruleset file as a dict.
    cards
        Rows of the card files, by "animals", "experts" and "tokens".
    players
        Number of seats.
    luck
        What chance decides; see `tests.naive.luck.Luck`.
    """

    def __init__(self, ruleset: dict, cards: dict, players: int, luck: Luck) -> None:
        self.rules = ruleset
        self.luck = luck
        self.continents: list[str] = list(ruleset["continents"]["names"])
        self.types: list[dict] = list(ruleset["types"].values())  # types[t - 1] is type t
        self.animals = read_animals(cards["animals"], list(ruleset["types"]))
        self.experts = read_experts(cards["experts"])
        self.tokens = read_tokens(cards["tokens"])
        self.space_effects = [
            effect for _, effect in sorted((int(k), v) for k, v in ruleset["board"]["spaces"].items())
        ]
        self.track = {int(space): effect for space, effect in ruleset["reputation"]["track"].items()}
        self.animal_deck = Deck("animals", luck.animal_order, luck)
        self.expert_deck = Deck("experts", luck.expert_order, luck)
        self.board = Board({area: [] for area in AREAS}, self._empty_expeditions())
        self.seats = [
            Seat(n, [None] * len(self.space_effects), [[] for _ in range(ruleset["university"]["spaces"])])
            for n in range(players)
        ]
        self.die_value: dict[int, int] = {}  # of every die drawn this round
        self._rolled: list[list[int]] = [[] for _ in self.seats]  # not yet on a space
        self.hand: int | None = None  # the die that a seal has picked up
        self.on_animals: list[int] = []  # dice used for publication this round (5.8)
        self.round = 0
        self.over = False
        self.decision: Decision | None = None
        self._play = self._game()
        self._advance(None)

    # --- from outside ----------------------------------------------------------------------------------------

    def choose(self, option: Option) -> None:
        """Take one of the options of the decision, and go on to the next decision."""
        if self.decision is None or option not in self.decision.options:
            raise ValueError(f"{option} is not among {self.decision}")
        self._advance(option)

    def _advance(self, option: Option | None) -> None:
        try:
            self.decision = self._play.send(option)
        except StopIteration:
            self.decision = None

    def snapshot(self) -> dict:
        """Return the `state` of a game log, without its event and round."""
        return {
            "seats": [
                {
                    "coins": seat.coins,
                    "expedition_tokens": seat.expedition_tokens,
                    "seals": seat.seals,
                    "reputation": seat.reputation,
                    "vp": seat.vp,
                    "animals": [{"id": animal.card.id, "cubes": sorted(animal.cubes)} for animal in seat.animals],
                    "published": list(seat.published),
                    "experts": [list(pile) for pile in seat.experts],
                    "categories": {name: count for name, count in seat.categories.items() if count},
                    "spaces": list(seat.spaces),
                }
                for seat in self.seats
            ],
            "academy": list(self.board.academy),
            "university": list(self.board.university),
            "board": {
                **{area: list(self.board.areas[area]) for area in AREAS},
                "expedition": {name: list(row) for name, row in self.board.expedition.items()},
            },
        }

    def scores(self) -> list[dict[str, int]]:
        """Return every seat's final score, part by part."""
        if not self.over:
            raise ValueError("the game is not over")
        return [score(seat, self.rules, self.animals, self.experts) for seat in self.seats]

    def win_shares(self) -> list[float]:
        """Return every seat's share of the win."""
        return win_shares([parts["total"] for parts in self.scores()])

    def check(self) -> None:
        """Assert that every card, die and cube exists exactly once, and that nothing is below zero."""
        held = [animal.card.id for seat in self.seats for animal in seat.animals]
        published = [card for seat in self.seats for card in seat.published]
        deck = self.animal_deck
        assert sorted(deck.pile + deck.discards + self.board.academy + held + published) == sorted(self.animals)
        owned = [card for seat in self.seats for pile in seat.experts for card in pile]
        deck = self.expert_deck
        assert sorted(deck.pile + deck.discards + self.board.university + owned) == sorted(self.experts)

        on_boards = [die for seat in self.seats for die in seat.spaces if die is not None]
        in_hand = [] if self.hand is None else [self.hand]
        out = on_boards + self.board.dice() + in_hand + self.on_animals + self.unplaced_dice()
        assert sorted(out) == sorted(self.die_value), "every die drawn is somewhere, once"
        for colour, number in Counter(self.luck.die_colour(die) for die in out).items():
            assert colour in self.continents
            assert number <= self.rules["dice"]["per_colour"]
        assert all(1 <= value <= self.rules["dice"]["sides"] for value in self.die_value.values())

        for seat in self.seats:
            assert min(seat.coins, seat.expedition_tokens, seat.seals) >= 0
            assert 0 <= seat.track_paid <= seat.reputation <= self.rules["reputation"]["length"]
            assert all(animal.cubes <= set(range(1, len(self.types) + 1)) for animal in seat.animals)
            assert min(seat.categories.values(), default=0) >= 0
            placed = sum(len(animal.cubes) for animal in seat.animals) + sum(seat.categories.values())
            assert placed == seat.cubes_taken - seat.cubes_returned
            if [] in seat.experts:  # the lowest free space is filled first (4.8)
                free = seat.experts.index([])
                assert not any(seat.experts[free:])
                assert all(len(pile) == 1 for pile in seat.experts[:free])
        if self.decision is not None:
            assert len(self.decision.options) > 1
            assert len(set(self.decision.options)) == len(self.decision.options)
        else:
            assert self.over
            assert sum(self.win_shares()) > 0.999999

    def unplaced_dice(self) -> list[int]:
        """Dice rolled and not yet put on a space (3.3)."""
        return [die for dice in self._rolled for die in dice]

    # --- the course of the game ------------------------------------------------------------------------------

    def _game(self) -> Play:
        yield from self._setup()
        for number in range(1, self.rules["rounds"] + 1):
            self.round = number
            yield from self._round()
        for seat in self.seats:  # 9.1
            for animal in seat.animals:
                self.animal_deck.discards.append(animal.card.id)
                seat.cubes_returned += len(animal.cubes)
            seat.animals = []
        self.over = True

    def _empty_expeditions(self) -> dict[str, list[int | None]]:
        return {name: [None] * len(self.rules["expedition"]["reputation"]) for name in self.continents}

    def turn_order(self) -> list[Seat]:
        """Seats clockwise from the start player."""
        start = (self.round - 1) % len(self.seats) if self.rules["start_player"] == "rotate" else 0  # 3.6
        return self.seats[start:] + self.seats[:start]

    def _setup(self) -> Play:
        self._refill()  # 2.2
        for seat in reversed(self.seats):  # 2.3
            for _ in range(self.rules["draft"]["animals"]):
                if self.board.academy:
                    _, card = yield from ask(seat, "draft", [("animal", card) for card in self.board.academy])
                    self.board.academy.remove(card)
                    seat.animals.append(Animal(self.animals[card]))
        for seat in self.seats:  # 2.4
            seat.expedition_tokens += self.rules["start"]["expedition_tokens"]
            seat.coins += self.rules["coins"]["offsets"][seat.number]

    def _refill(self) -> None:
        by_players = len(self.seats) - self.rules["players"]["fewest"]
        for display, deck, full in (
            (self.board.university, self.expert_deck, self.rules["display"]["experts"]),
            (self.board.academy, self.animal_deck, self.rules["display"]["animals"][by_players]),
        ):
            while len(display) < full and (card := deck.from_front()) is not None:
                display.append(card)

    def _round(self) -> Play:
        self._refill()  # 3.1
        if self.round <= len(self.luck.token_order):  # 3.2
            yield from self._round_token(self.luck.token_order[self.round - 1])
        for seat in self.turn_order():
            yield from self._fire(seat, self.working(seat), "round_start")
        yield from self._roll_and_place()  # 3.3
        while any(die is not None for seat in self.seats for die in seat.spaces):  # 3.4
            for seat in self.turn_order():
                yield from self.turn(seat)
        for seat in self.turn_order():  # 6.1
            yield from self._spend_seals(seat)
        self.animal_deck.discards += self.board.academy  # 3.5
        self.board.academy.clear()
        self.expert_deck.discards += self.board.university
        self.board.university.clear()

    def _round_token(self, token_id: int) -> Play:
        token = self.tokens[token_id]
        seats = self.turn_order()
        if token.scope != "everyone":  # 8: counted once, before the token applies
            extreme, measure = token.scope.split(":")
            count = {"vp": lambda s: s.vp, "animals": lambda s: len(s.animals), "coins": lambda s: s.coins}[measure]
            mark = {"fewest": min, "most": max}[extreme](count(seat) for seat in seats)
            seats = [seat for seat in seats if count(seat) == mark]
        for seat in seats:
            yield from self._effect(seat, token.effect, token.amount)

    def _roll_and_place(self) -> Play:
        self.board.areas = {area: [] for area in AREAS}  # all dice go back to the bag
        self.board.expedition = self._empty_expeditions()
        self.on_animals = []
        self.die_value = {}
        for seat in self.turn_order():
            drawn = self.luck.dice(self.round, seat.number)
            self._rolled[seat.number] = [die for die, _ in drawn]
            self.die_value.update(drawn)
        for seat in self.turn_order():
            mine = self._rolled[seat.number]
            while mine:
                free = [("space", k) for k, die in enumerate(seat.spaces, 1) if die is None]
                _, k = yield from ask(seat, "place", free)
                seat.spaces[k - 1] = mine.pop(0)

    def _spend_seals(self, seat: Seat) -> Play:
        for repetition in range(self.rules["seals"]["per_round"]):
            dice = self.board.dice() if seat.seals else []
            choice = yield from ask(seat, "seal", [("pass",)] + [("die", die) for die in dice])
            if choice == ("pass",):
                return
            seat.seals -= 1
            _, self.hand = choice
            self.board.remove(self.hand)  # 6.2
            self.die_value[self.hand] = self.luck.reroll(self.round, seat.number, repetition)
            yield from self.turn(seat)

    # --- a turn, or the action of a seal ---------------------------------------------------------------------

    def working(self, seat: Seat) -> list[ExpertCard]:
        """Experts on top of their spaces, by space (4.8)."""
        return [self.experts[pile[-1]] for pile in seat.experts if pile]

    def turn(self, actor: Seat) -> Play:
        """Take a die (the one in hand, or one of any player board) and perform one action (4.1, 4.2, 6.2)."""
        working = self.working(actor)  # 4.12: when the action starts
        on_boards = [die for seat in self.seats for die in seat.spaces if die is not None]
        dice = on_boards if self.hand is None else [self.hand]

        targets = [t for t in self._targets(actor) if any(self._can(actor, working, t, die) for die in dice)]
        target = yield from ask(actor, "target", targets)
        able = [("die", die) for die in dice if self._can(actor, working, target, die)]
        _, die = yield from ask(actor, "die", able)
        action, continent = target[0], self._continent(target)

        owner = space = None  # the die is taken
        for seat in self.seats:
            if die in seat.spaces:
                owner, space = seat, seat.spaces.index(die)
                seat.spaces[space] = None
        self.hand = None
        expedition_space = None
        if action == "publication":
            self.on_animals.append(die)  # 5.1, 5.8
        elif action == "expedition":
            expedition_space = self.board.expedition[continent].index(None)  # 4.10: the leftmost free
            self.board.expedition[continent][expedition_space] = die
        else:
            self.board.areas[action].append(die)

        if owner is not None and owner is not actor:  # 4.1, 4.12: its owner gains
            effect = self.space_effects[space]
            yield from self._effect(owner, effect["effect"], effect["amount"])
            yield from self._fire(owner, self.working(owner), "stolen")

        value = self._value(working, target, die)
        if action == "embassy":
            yield from self._embassy(actor, value)
        elif action == "bank":
            actor.coins += self.rules["bank"]["coins"]  # 4.7
        elif action == "university":
            yield from self._university(actor, working, target[1], die)
        elif action == "academy":
            self._pay_recolour(actor, working, target, die)
            yield from self._academy(actor, target[1], value)
        elif action == "expedition":
            self._pay_recolour(actor, working, target, die)
            yield from self._expedition(actor, working, continent, expedition_space, value)
        elif action == "publication":
            self._pay_recolour(actor, working, target, die)
            yield from self._publication(actor, target[1], value)

        yield from self._pay_track(actor)  # 4.12: what the action set off
        if action == "university":
            hired = self.experts[target[1]]
            if hired.trigger == "hire":
                yield from self._effect(actor, hired.effect, hired.amount, hired.filter)
        yield from self._fire(actor, working, action, continent)

    def _targets(self, actor: Seat) -> list[Option]:
        """Every target there is, before asking whether a die can reach it."""
        return [
            ("embassy",),
            ("bank",),
            *(("university", card) for card in self.board.university),
            *(("academy", card) for card in self.board.academy),
            *(("expedition", name) for name in self.continents),
            *(("publication", animal.card.id) for animal in actor.animals),
        ]

    def _continent(self, target: Option) -> str | None:
        """Continent of the thing that the action is about (7.1)."""
        if target[0] == "university":
            return self.experts[target[1]].continent
        if target[0] in ("academy", "publication"):
            return self.animals[target[1]].continent
        return target[1] if target[0] == "expedition" else None

    def _can(self, actor: Seat, working: list[ExpertCard], target: Option, die: int) -> bool:
        """Whether this die makes the target possible (4.5)."""
        action = target[0]
        if action in ("embassy", "bank", "university"):
            return True
        if self.luck.die_colour(die) != self._continent(target) and not self._can_recolour(actor, working, target):
            return False
        if action == "expedition":
            return None in self.board.expedition[target[1]]
        if action == "publication":  # 5.3
            reference = self._own(actor, target[1])
            best = self._value(working, target, die) + actor.coins * self.rules["boost"]["per_coin"]
            return bool(self._published_types(reference, best))
        return True

    def _value(self, working: list[ExpertCard], target: Option, die: int) -> int:
        """Value before payments: the die and the `value` effects (4.12)."""
        continent = self._continent(target)
        extra = [card.amount for card in working if card.effect == "value" and card.works_for(target[0], continent)]
        return self.die_value[die] + sum(extra)

    def _free_recolour(self, working: list[ExpertCard], target: Option) -> bool:
        continent = self._continent(target)
        return any(card.effect == "recolour" and card.works_for(target[0], continent) for card in working)

    def _can_recolour(self, actor: Seat, working: list[ExpertCard], target: Option) -> bool:
        """Whether the die can get the target's colour, free or paid (4.3)."""
        price = self.rules["recolour"]["expedition_tokens"]
        return self._free_recolour(working, target) or actor.expedition_tokens >= price

    def _pay_recolour(self, actor: Seat, working: list[ExpertCard], target: Option, die: int) -> None:
        """Recolour where the target needs it; paid only if no expert makes it free (4.3)."""
        if self.luck.die_colour(die) != self._continent(target) and not self._free_recolour(working, target):
            actor.expedition_tokens -= self.rules["recolour"]["expedition_tokens"]

    @staticmethod
    def _own(seat: Seat, card: int) -> Animal:
        return next(animal for animal in seat.animals if animal.card.id == card)

    # --- the six actions -------------------------------------------------------------------------------------

    def _choose_coins(self, actor: Seat, coins: list[int]) -> Generator[Decision, Option, int]:
        _, n = yield from ask(actor, "coins", [("coins", n) for n in coins])
        actor.coins -= n
        return n * self.rules["boost"]["per_coin"]

    def _boost_for_gain(self, actor: Seat, value: int, table: list[int]) -> Generator[Decision, Option, int]:
        """Boost where more value only means a larger gain (4.4); returns the gain."""
        per_coin = self.rules["boost"]["per_coin"]

        def possible(coins: int, _: int) -> frozenset[int]:
            return frozenset(range(by_table(table, value + coins * per_coin)))  # as many things as are gained

        value += yield from self._choose_coins(actor, [c for c, _ in offered(possible, actor.coins, 0)])
        return by_table(table, value)

    def _embassy(self, actor: Seat, value: int) -> Play:
        actor.expedition_tokens += yield from self._boost_for_gain(  # 4.6
            actor, value, self.rules["embassy"]["expedition_tokens"]
        )

    def _university(self, actor: Seat, working: list[ExpertCard], card: int, die: int) -> Play:
        target = ("university", card)
        match = self.luck.die_colour(die) == self.experts[card].continent
        if not match and self._can_recolour(actor, working, target):
            _, match = yield from ask(actor, "recolour", [("recolour", False), ("recolour", True)])
            if match:
                self._pay_recolour(actor, working, target, die)
        if match:
            self._move_marker(actor, self.rules["university"]["match_reputation"])  # 4.8
        slots: list[Option] = [("slot", k, "over") for k, pile in enumerate(actor.experts, 1) if not pile][:1]
        if not slots:
            slots = [("slot", k, way) for k in range(1, len(actor.experts) + 1) for way in ("over", "under")]
        _, k, way = yield from ask(actor, "slot", slots)
        self.board.university.remove(card)
        pile = actor.experts[k - 1]
        pile.insert(len(pile) if way == "over" else 0, card)

    def _academy(self, actor: Seat, card: int, value: int) -> Play:
        reputation = yield from self._boost_for_gain(actor, value, self.rules["academy"]["reputation"])  # 4.9
        self._move_marker(actor, reputation)
        self.board.academy.remove(card)
        actor.animals.append(Animal(self.animals[card]))

    def _expedition(self, actor: Seat, working: list[ExpertCard], continent: str, space: int, value: int) -> Play:
        """4.10."""
        boost = self.rules["boost"]
        costs = [self._research_cost(working, continent, t) for t in range(1, len(self.types) + 1)]
        sums = subset_sums(costs[t - 1] for _, t in self._free_cube_spaces(actor, continent))

        def possible(coins: int, tokens: int) -> frozenset[int]:
            points = value + coins * boost["per_coin"] + tokens * boost["per_token"]
            return frozenset(total for total in sums if total <= points)  # one set of cubes or more for each total

        payments = offered(possible, actor.coins, actor.expedition_tokens)
        _, tokens = yield from ask(actor, "tokens", [("tokens", n) for n in sorted({t for _, t in payments})])
        actor.expedition_tokens -= tokens
        value += tokens * boost["per_token"]
        value += yield from self._choose_coins(actor, [c for c, t in payments if t == tokens])

        self._move_marker(actor, self.rules["expedition"]["reputation"][space])
        yield from self._research(actor, value, costs, continent)

    def _research_cost(self, working: list[ExpertCard], continent: str, t: int) -> int:
        """Price of a cube in an expedition: discounts add up, and leave at least 1 (7.2)."""
        cost = self.types[t - 1]["cost"]
        name = list(self.rules["types"])[t - 1]
        discount = sum(
            card.amount
            for card in working
            if card.effect == "discount" and card.works_for("expedition", continent) and card.filter in ("", name)
        )
        return min(cost, max(1, cost - discount))

    def _free_cube_spaces(self, seat: Seat, continent: str) -> list[tuple[Animal, int]]:
        """Type spaces without a cube on own unpublished animals, of one continent or (with "") of all."""
        return [
            (animal, t)
            for animal in seat.animals
            for t in range(1, len(self.types) + 1)
            if continent in ("", animal.card.continent) and t not in animal.cubes
        ]

    def _research(self, seat: Seat, points: int, costs: list[int], continent: str) -> Play:
        """Spend points on cubes, as long as they buy something."""
        while cubes := [
            ("cube", animal.card.id, t)
            for animal, t in self._free_cube_spaces(seat, continent)
            if costs[t - 1] <= points
        ]:
            choice = yield from ask(seat, "cube", [*cubes, ("stop",)])
            if choice == ("stop",):
                return
            _, card, t = choice
            self._own(seat, card).cubes.add(t)
            seat.cubes_taken += 1
            points -= costs[t - 1]

    def _published_types(self, reference: Animal, value: int) -> frozenset[int]:
        """Types that the reference publishes with this value (5.2–5.4)."""
        highest = max((t for t, row in enumerate(self.types, 1) if row["publish_from"] <= value), default=0)
        return frozenset(t for t in reference.cubes if t <= highest)

    def _publication(self, actor: Seat, card: int, value: int) -> Play:
        """Section 5."""
        reference = self._own(actor, card)
        per_coin = self.rules["boost"]["per_coin"]

        def possible(coins: int, _: int) -> frozenset[int]:
            return self._published_types(reference, value + coins * per_coin)

        payments = [c for c, _ in offered(possible, actor.coins, 0) if possible(c, 0)]  # 5.3
        value += yield from self._choose_coins(actor, payments)

        others = [animal for animal in actor.animals if animal is not reference]  # in the order acquired
        gave: list[Animal] = []
        for t in sorted(self._published_types(reference, value), reverse=True):  # 5.4
            category = reference.card.categories[t - 1]
            self._give_cube(actor, reference, t)
            for animal in others:
                if animal.card.categories[t - 1] == category and t in animal.cubes:
                    options = [("give", animal.card.id, t, False), ("give", animal.card.id, t, True)]
                    *_, yes = yield from ask(actor, "give", options)
                    if yes:
                        self._give_cube(actor, animal, t)
                        gave.append(animal)
        also: list[Animal] = []
        for animal in others:  # 5.6
            if animal.card.continent == reference.card.continent and animal not in gave:
                *_, yes = yield from ask(
                    actor, "along", [("along", animal.card.id, False), ("along", animal.card.id, True)]
                )
                if yes:
                    also.append(animal)
        for animal in list(actor.animals):  # 5.7
            if animal is reference or animal in gave or animal in also:
                actor.animals.remove(animal)
                actor.published.append(animal.card.id)
                actor.cubes_returned += len(animal.cubes)
                actor.vp += self.rules["publication"]["animal_vp"]
        actor.seals += self.rules["publication"]["seals"]  # 4.11

    def _give_cube(self, seat: Seat, animal: Animal, t: int) -> None:
        animal.cubes.remove(t)
        seat.categories[animal.card.categories[t - 1]] += 1
        seat.vp += self.types[t - 1]["vp"]  # 5.5

    # --- effects and reputation ------------------------------------------------------------------------------

    def _fire(self, seat: Seat, working: list[ExpertCard], trigger: str, continent: str | None = None) -> Play:
        """Experts that wait for this, by expert space, each fully before the next (4.12)."""
        for card in working:
            if card.works_for(trigger, continent) and card.effect not in PASSIVE:
                yield from self._effect(seat, card.effect, card.amount, card.filter)

    def _effect(self, seat: Seat, effect: str, amount: int, filter_: str = "") -> Play:
        """One effect, and then the track's bonuses that it reached (7.2, 8)."""
        if effect == "coins":
            seat.coins += amount
        elif effect == "expedition_tokens":
            seat.expedition_tokens += amount
        elif effect == "seals":
            seat.seals += amount
        elif effect == "vp":
            seat.vp += amount
        elif effect == "reputation":
            self._move_marker(seat, amount)
            yield from self._pay_track(seat)
        elif effect == "animals":
            for _ in range(amount):
                card = self.animal_deck.from_back()
                if card is not None:
                    seat.animals.append(Animal(self.animals[card]))
        elif effect == "research":  # at the full price
            yield from self._research(seat, amount, [row["cost"] for row in self.types], filter_)
        elif effect == "vp_per_expert":
            seat.vp += amount * sum(len(pile) for pile in seat.experts)
        elif effect == "vp_per_animal":
            seat.vp += amount * len(seat.animals)
        elif effect == "lose_coins":
            if seat.coins >= amount:
                seat.coins -= amount
            else:
                seat.vp -= amount
        elif effect != "none":
            raise ValueError(effect)

    def _move_marker(self, seat: Seat, points: int) -> None:
        """Move the reputation marker; what the track has no space for is VP at once (10.1)."""
        length = self.rules["reputation"]["length"]
        beyond = max(0, seat.reputation + points - length)
        seat.reputation += points - beyond
        seat.vp += beyond * self.rules["reputation"]["beyond_vp"]

    def _pay_track(self, seat: Seat) -> Play:
        """Pay every space reached or passed and not yet paid, in track order (10.1)."""
        while seat.track_paid < seat.reputation:
            seat.track_paid += 1
            bonus = self.track.get(seat.track_paid)
            if bonus is not None:
                yield from self._effect(seat, bonus["effect"], bonus["amount"])
