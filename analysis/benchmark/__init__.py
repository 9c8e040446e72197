"""How quick the engine is: what is timed, how, and what two timings say about each other.

A benchmark is a list of lines (`analysis.benchmark.figures.Line`): one strategy in all seats, a number of players and
of threads, and how much is kept of the games. Each is timed several times, with the yardstick
(`analysis.benchmark.yardstick`) before and after, once it is known that the right games are played.
"""
