"""Many comparisons at once: p values corrected so that few of what is called found is found by chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from scipy.stats import false_discovery_control


def with_corrected(frame: pl.DataFrame, family: Sequence[str] = ()) -> pl.DataFrame:
    """Add ``p_corrected``: Benjamini and Hochberg's p, over all rows that agree in some columns.

    Parameters
    ----------
    frame
        With a column ``p``; null where there is none.
    family
        Columns whose values divide the rows into families; one family without any.

    Returns
    -------
    polars.DataFrame
        The same rows in the same order; ``p_corrected`` stands right behind ``p``. Calling everything found whose
        corrected p is at most 0.05 keeps the expected share of false finds in a family below 5%.

    Examples
    --------
    >>> with_corrected(pl.DataFrame({"p": [0.01, 0.04, None]}))["p_corrected"].to_list()
    [0.02, 0.04, None]
    """
    place = frame.columns.index("p") + 1
    p = frame["p"].to_numpy().astype(np.float64)
    corrected = np.full(len(frame), np.nan)
    for rows in _families(frame, family):
        known = rows[~np.isnan(p[rows])]
        if len(known):
            corrected[known] = false_discovery_control(p[known])
    added = pl.Series("p_corrected", corrected).fill_nan(None)
    return frame.select(*frame.columns[:place], added, *frame.columns[place:])


def _families(frame: pl.DataFrame, family: Sequence[str]) -> list[np.ndarray]:
    if not family:
        return [np.arange(len(frame))]
    numbered = frame.select(family).with_row_index("row")
    return [part["row"].to_numpy() for _, part in numbered.group_by(family, maintain_order=True)]
