"""What can go wrong, by who can mend it: the person who typed, or the run itself."""


class EncyclopediaError(Exception):
    """Base of every error that is reported in one line and without a traceback."""

    exit_code = 1


class InputError(EncyclopediaError):
    """Something given from outside cannot be used; the message says what, where and what is allowed."""

    exit_code = 2


class RunError(EncyclopediaError):
    """A run that began as it should and could not be finished."""
