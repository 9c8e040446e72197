"""What happens by itself: gains, the reputation track, experts, tokens, board spaces (rules 4.1, 7, 8, 10).

What is still to happen lies on a stack of *pending* entries, the next one on top. Whoever sets several things
off pushes them in reverse; an effect that sets off more (reputation that reaches a space) puts it on top, so
that it happens before anything older.
"""

from sim.jit import at, kernel, rule
from sim.layout import (
    ACTION,
    ACTOR,
    AMOUNT,
    BEYOND_VP,
    COINS,
    CONTINENTS,
    EFFECT,
    EFFECT_ANIMALS,
    EFFECT_COINS,
    EFFECT_DISCOUNT,
    EFFECT_LOSE_COINS,
    EFFECT_NONE,
    EFFECT_PER_ANIMAL,
    EFFECT_PER_EXPERT,
    EFFECT_RECOLOUR,
    EFFECT_REPUTATION,
    EFFECT_RESEARCH,
    EFFECT_ROW,
    EFFECT_SEALS,
    EFFECT_TOKENS,
    EFFECT_VALUE,
    EFFECT_VP,
    EXPEDITION_TOKENS,
    EXPERT_AMOUNT,
    EXPERT_COUNT,
    EXPERT_EFFECT,
    EXPERT_FILTER,
    EXPERT_TRIGGER,
    EXPERT_TRIGGER_CONTINENT,
    FREE_RECOLOUR,
    HAND_COUNT,
    KIND,
    KIND_CUBE,
    LOG_EFFECT,
    LOG_GAIN,
    PENDING_ARGUMENT_BITS,
    PENDING_BEYOND,
    PENDING_COUNT,
    PENDING_EXPERT,
    PENDING_SEAT_BITS,
    PENDING_SPACE,
    PENDING_TOKEN,
    PENDING_TRACK,
    POINTS,
    PUBLICATION,
    REC_COINS_GAINED,
    REC_COINS_LOST,
    REC_REPUTATION_GAINED,
    REC_SEALS_GAINED,
    REC_TOKENS_GAINED,
    REC_VP_EXPERTS,
    REC_VP_SPACES,
    REC_VP_TOKENS,
    REC_VP_TRACK,
    REPUTATION,
    RESEARCH_CONTINENT,
    RESEARCH_SEAT,
    S_COSTS,
    S_PENDING,
    S_SLOTS,
    SEALS,
    SEAT,
    SLOTS,
    T_SPACES,
    T_TOKENS,
    T_TRACK,
    TOKEN_ROW,
    TRACK_LENGTH,
    TRIGGER_ACTION,
    TYPE_COST,
    TYPES,
    VP,
    WORKING,
    WORKS_DISCOUNT,
    WORKS_VALUE,
)
from sim.rules.cards import draw_animals
from sim.rules.cells import expert_cell, note, record_cell, seat_cell, type_cell


@rule
def push(state, tables, code, seat, argument):
    """Put an entry on top of what is still to happen."""
    state[at(tables[S_PENDING] + state[PENDING_COUNT])] = (
        (code << (PENDING_SEAT_BITS + PENDING_ARGUMENT_BITS)) | (seat << PENDING_ARGUMENT_BITS) | argument
    )
    state[PENDING_COUNT] += 1


@rule
def pending_code(pending):
    """Code of a pending entry."""
    return pending >> (PENDING_SEAT_BITS + PENDING_ARGUMENT_BITS)


@rule
def pending_seat(pending):
    """Seat of a pending entry."""
    return (pending >> PENDING_ARGUMENT_BITS) & ((1 << PENDING_SEAT_BITS) - 1)


@rule
def pending_argument(pending):
    """Argument of a pending entry."""
    return pending & ((1 << PENDING_ARGUMENT_BITS) - 1)


@rule
def gain_coins(state, record, seat, amount):
    """Give coins to a seat."""
    state[seat_cell(seat, COINS)] += amount
    record[record_cell(seat, REC_COINS_GAINED)] += amount


@rule
def gain_tokens(state, record, seat, amount):
    """Give expedition tokens to a seat."""
    state[seat_cell(seat, EXPEDITION_TOKENS)] += amount
    record[record_cell(seat, REC_TOKENS_GAINED)] += amount


@rule
def gain_seals(state, record, seat, amount):
    """Give royal seals to a seat."""
    state[seat_cell(seat, SEALS)] += amount
    record[record_cell(seat, REC_SEALS_GAINED)] += amount


@rule
def gain_vp(state, record, seat, amount, column):
    """Give VP to a seat; `column` is the part of the score they are recorded in."""
    state[seat_cell(seat, VP)] += amount
    record[record_cell(seat, column)] += amount


@kernel
def gain_reputation(state, tables, record, seat, amount):
    """Move the reputation marker; what the spaces on the way pay is put on the stack (10.1)."""
    old = state[seat_cell(seat, REPUTATION)]
    new = min(old + amount, tables[TRACK_LENGTH])
    state[seat_cell(seat, REPUTATION)] = new
    record[record_cell(seat, REC_REPUTATION_GAINED)] += amount
    if old + amount > new:
        push(state, tables, PENDING_BEYOND, seat, old + amount - new)
    for space in range(new, old, -1):
        if tables[at(tables[T_TRACK] + space * EFFECT_ROW + EFFECT)] != EFFECT_NONE:
            push(state, tables, PENDING_TRACK, seat, space)


@kernel
def begin_research(state, tables, seat, points, continent):
    """Let a seat spend free research points at full price (7.2)."""
    for type_index in range(tables[TYPES]):
        state[at(tables[S_COSTS] + type_index)] = tables[type_cell(tables, type_index, TYPE_COST)]
    state[POINTS] = points
    state[RESEARCH_SEAT] = seat
    state[RESEARCH_CONTINENT] = continent
    state[SEAT] = seat
    state[KIND] = KIND_CUBE


@kernel
def _gain(state, tables, chance, record, seat, effect, amount, continent, column):
    """Give a seat what an effect says (7.2); `continent` narrows free research, -1 for any."""
    note(record, tables, LOG_GAIN, seat, effect, amount, 0)
    if effect == EFFECT_COINS:
        gain_coins(state, record, seat, amount)
    elif effect == EFFECT_TOKENS:
        gain_tokens(state, record, seat, amount)
    elif effect == EFFECT_REPUTATION:
        gain_reputation(state, tables, record, seat, amount)
    elif effect == EFFECT_VP:
        gain_vp(state, record, seat, amount, column)
    elif effect == EFFECT_SEALS:
        gain_seals(state, record, seat, amount)
    elif effect == EFFECT_ANIMALS:
        draw_animals(state, tables, chance, record, seat, amount)
    elif effect == EFFECT_RESEARCH:
        begin_research(state, tables, seat, amount, continent)


@kernel
def _apply_token(state, tables, chance, record, seat, token):
    """Give a seat what the round token says (8)."""
    row = tables[T_TOKENS] + token * TOKEN_ROW
    effect = tables[at(row + EFFECT)]
    amount = tables[at(row + AMOUNT)]
    if effect == EFFECT_PER_EXPERT:
        effect, amount = EFFECT_VP, amount * state[seat_cell(seat, EXPERT_COUNT)]
    elif effect == EFFECT_PER_ANIMAL:
        effect, amount = EFFECT_VP, amount * state[seat_cell(seat, HAND_COUNT)]
    elif effect == EFFECT_LOSE_COINS:
        if state[seat_cell(seat, COINS)] >= amount:
            state[seat_cell(seat, COINS)] -= amount
            record[record_cell(seat, REC_COINS_LOST)] += amount
            note(record, tables, LOG_GAIN, seat, EFFECT_COINS, -amount, 0)
            return
        effect, amount = EFFECT_VP, -amount
    _gain(state, tables, chance, record, seat, effect, amount, -1, REC_VP_TOKENS)


@kernel
def resolve(state, tables, chance, record, pending):
    """Let one pending entry happen (payments are the turn's own and handled there)."""
    code, seat, argument = pending_code(pending), pending_seat(pending), pending_argument(pending)
    note(record, tables, LOG_EFFECT, seat, code, argument, 0)
    if code == PENDING_EXPERT:
        _gain(
            state, tables, chance, record, seat,
            tables[expert_cell(tables, argument, EXPERT_EFFECT)],
            tables[expert_cell(tables, argument, EXPERT_AMOUNT)],
            tables[expert_cell(tables, argument, EXPERT_FILTER)],
            REC_VP_EXPERTS,
        )  # fmt: skip
    elif code == PENDING_SPACE:
        row = tables[T_SPACES] + argument * EFFECT_ROW
        _gain(
            state, tables, chance, record, seat, tables[at(row + EFFECT)], tables[at(row + AMOUNT)], -1, REC_VP_SPACES
        )
    elif code == PENDING_TOKEN:
        _apply_token(state, tables, chance, record, seat, argument)
    elif code == PENDING_TRACK:
        row = tables[T_TRACK] + argument * EFFECT_ROW
        _gain(state, tables, chance, record, seat, tables[at(row + EFFECT)], tables[at(row + AMOUNT)], -1, REC_VP_TRACK)
    elif code == PENDING_BEYOND:
        _gain(state, tables, chance, record, seat, EFFECT_VP, argument * tables[BEYOND_VP], -1, REC_VP_TRACK)


@rule
def top_expert(state, tables, seat, slot):
    """Expert that works in an expert space, -1 for none (4.8)."""
    return state[at(tables[S_SLOTS] + seat * tables[SLOTS] + slot)]


@rule
def works(state, seat, bit):
    """Say whether some working expert of a seat does what a bit of WORKING stands for."""
    return (state[seat_cell(seat, WORKING)] >> bit) & 1 == 1


@rule
def narrowed_out(tables, expert, continent):
    """Say whether `trigger_continent` keeps an expert out of an action on a continent (7.1)."""
    wanted = tables[expert_cell(tables, expert, EXPERT_TRIGGER_CONTINENT)]
    return wanted >= 0 and wanted != continent


@rule
def is_passive(effect):
    """Say whether an effect is part of an action instead of happening after it (7.2)."""
    return EFFECT_VALUE <= effect <= EFFECT_DISCOUNT


@kernel
def push_experts(state, tables, seat, trigger, continent):
    """Put a seat's working experts of a trigger on the stack, to happen by expert space (4.12)."""
    if not works(state, seat, trigger):
        return
    for slot in range(tables[SLOTS] - 1, -1, -1):
        expert = top_expert(state, tables, seat, slot)
        if (
            expert >= 0
            and tables[expert_cell(tables, expert, EXPERT_TRIGGER)] == trigger
            and not is_passive(tables[expert_cell(tables, expert, EXPERT_EFFECT)])
            and not narrowed_out(tables, expert, continent)
        ):
            push(state, tables, PENDING_EXPERT, seat, expert)


@rule
def push_action_experts(state, tables, continent):
    """Put on the stack the actor's experts for this action; an action calls it before it changes any (4.12)."""
    push_experts(state, tables, state[ACTOR], TRIGGER_ACTION + state[ACTION], continent)


@kernel
def value_bonus(state, tables, seat, action, continent):
    """Add up what a seat's working experts add to a die's value in an action (7.2)."""
    if not works(state, seat, WORKS_VALUE + action):
        return 0
    bonus = 0
    for slot in range(tables[SLOTS]):
        expert = top_expert(state, tables, seat, slot)
        if (
            expert >= 0
            and tables[expert_cell(tables, expert, EXPERT_EFFECT)] == EFFECT_VALUE
            and tables[expert_cell(tables, expert, EXPERT_TRIGGER)] == TRIGGER_ACTION + action
            and not narrowed_out(tables, expert, continent)
        ):
            bonus += tables[expert_cell(tables, expert, EXPERT_AMOUNT)]
    return bonus


@kernel
def refresh_working(state, tables, seat):
    """Work out anew what a seat's top experts do and where they make recolouring free (7.1, 7.2)."""
    everywhere = (1 << tables[CONTINENTS]) - 1
    for action in range(PUBLICATION + 1):
        state[seat_cell(seat, FREE_RECOLOUR + action)] = 0
    working = 0
    for slot in range(tables[SLOTS]):
        expert = top_expert(state, tables, seat, slot)
        if expert < 0:
            continue
        trigger = tables[expert_cell(tables, expert, EXPERT_TRIGGER)]
        effect = tables[expert_cell(tables, expert, EXPERT_EFFECT)]
        if effect == EFFECT_RECOLOUR:
            continent = tables[expert_cell(tables, expert, EXPERT_TRIGGER_CONTINENT)]
            state[seat_cell(seat, FREE_RECOLOUR + trigger - TRIGGER_ACTION)] |= (
                everywhere if continent < 0 else 1 << continent
            )
        elif effect == EFFECT_VALUE:
            working |= 1 << (WORKS_VALUE + trigger - TRIGGER_ACTION)
        elif effect == EFFECT_DISCOUNT:
            working |= 1 << WORKS_DISCOUNT
        else:
            working |= 1 << trigger
    state[seat_cell(seat, WORKING)] = working
