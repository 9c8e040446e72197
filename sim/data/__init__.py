"""The rulesets and card sets that ship with the program."""
