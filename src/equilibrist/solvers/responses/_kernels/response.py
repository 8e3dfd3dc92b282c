"""Bottom-up passes over one player's infosets; slots are numbered as in the game's infoset index."""

from equilibrist.compute.kernel import kernel


@kernel
def walk_down(first_slot, parent_slot, probabilities, plan):  # plan [slots]
    """Realisation plan of all players: infosets come after the slot they follow."""
    for i in range(parent_slot.shape[0]):
        reach = 1.0
        if parent_slot[i] >= 0:
            reach = plan[parent_slot[i]]
        for s in range(first_slot[i], first_slot[i + 1]):
            plan[s] = reach * probabilities[s]


@kernel
def terminal_gradient(terminal_slot, terminal_chance, returns, plan, player, slot_value):
    """Add each terminal's payoff, weighted by chance and the others, to the player's last slot; returns the rest."""
    root = 0.0
    for z in range(terminal_slot.shape[0]):
        weight = terminal_chance[z] * returns[z, player]
        for p in range(terminal_slot.shape[1]):
            if p != player and terminal_slot[z, p] >= 0:
                weight *= plan[terminal_slot[z, p]]
        own = terminal_slot[z, player]
        if own >= 0:
            slot_value[own] += weight
        else:
            root += weight
    return root


@kernel
def respond(first_slot, infoset_player, parent_slot, player, maximise, choice, slot_value, infoset_value):
    """Values from the deepest infoset upwards; with `maximise` the responder's rows of `choice` become pure."""
    root = 0.0
    for i in range(parent_slot.shape[0] - 1, -1, -1):
        if infoset_player[i] != player:
            continue
        best = first_slot[i]
        value = 0.0
        if maximise:
            for s in range(first_slot[i], first_slot[i + 1]):
                if slot_value[s] > slot_value[best]:
                    best = s
            for s in range(first_slot[i], first_slot[i + 1]):
                choice[s] = 1.0 if s == best else 0.0
            value = slot_value[best]
        else:
            for s in range(first_slot[i], first_slot[i + 1]):
                value += choice[s] * slot_value[s]
        infoset_value[i] = value
        if parent_slot[i] >= 0:
            slot_value[parent_slot[i]] += value
        else:
            root += value
    return root
