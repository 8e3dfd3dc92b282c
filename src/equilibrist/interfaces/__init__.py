"""Where people and programs meet the package: command line, browser, pictures, protocols.

Enters: what somebody typed or sent. Leaves: tables, files, pages and JSON; no game logic lives here. Start with `cli/app.py`;
`strategies.py` picks the rows worth showing, `histories.py` reads hands that were played.
"""

from equilibrist import publish

publish(__name__)
