"""Where people and programs meet the package: a command line, pictures, and the colours they share.

In goes what somebody typed, out come tables, files and JSON; no game logic lives here. Start with `cli/app.py` for the
commands; `strategies.py` picks the rows worth showing, `grid.py` makes 13x13 grids, `palette.py` gives actions
their colours, `pictures.py` draws. `protocols/` speaks to other programs and reads their files.
"""
