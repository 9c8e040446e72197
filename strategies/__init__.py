"""Players: each strategy is a function of the state and the legal actions (`strategies.api`)."""
