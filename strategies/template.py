"""The file that a new strategy begins with."""

from __future__ import annotations

import keyword
import re
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Final

from sim.errors import InputError

TEMPLATE: Final = "templates/bot.py.txt"


def template_text(path: str | Path) -> str:
    """Return the text of a new strategy's file; the function is called as the file.

    Parameters
    ----------
    path
        Where it is to be written.

    Raises
    ------
    InputError
        If a function cannot have that name.

    Examples
    --------
    >>> "def mine(" in template_text("bots/mine.py")
    True
    """
    path = Path(path)
    name = _function_name(path)
    if path.suffix != ".py" or not name.isidentifier() or keyword.iskeyword(name):
        raise InputError(f"{path}: a Python file with a plain name is wanted, such as my_bot.py")
    text = files("strategies").joinpath(TEMPLATE).read_text(encoding="utf-8")
    return Template(text).substitute(path=path.as_posix(), name=name)


def _function_name(path: Path) -> str:
    return re.sub(r"\W", "_", path.stem)


def write_template(path: str | Path) -> str:
    """Write the file that a new strategy begins with.

    Parameters
    ----------
    path
        A Python file that is not there yet.

    Returns
    -------
    str
        What to do with it now.

    Raises
    ------
    InputError
        If it is there already or cannot be written.
    """
    path = Path(path)
    text = template_text(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise InputError(f"{path}: is there already; nothing was written") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    spec = f"{path.as_posix()}:{_function_name(path)}"
    return (
        f"{path} plays already: encyclopedia tournament {spec} random\n"
        f"check it after a change: encyclopedia strategies check {spec}"
    )
