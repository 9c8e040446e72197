"""The game: data, rules, engine, and running many games; it knows no strategy by name."""
