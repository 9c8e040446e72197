"""Search: playouts from the decision that is due, and how many each option gets."""
