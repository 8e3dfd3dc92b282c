"""What handlers work with, made once for a server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request

from equilibrist.core.artifact import artifact_kind
from equilibrist.core.errors import EquilibristError
from equilibrist.interfaces.web.data.folder import CATALOGUE, DataFolder
from equilibrist.interfaces.web.data.lessons import Lessons
from equilibrist.interfaces.web.data.library import Library
from equilibrist.interfaces.web.data.play_sessions import PlayerCatalogue
from equilibrist.interfaces.web.data.store import Store
from equilibrist.interfaces.web.data.strategies import Strategies
from equilibrist.interfaces.web.jobs.queue import JobQueue
from equilibrist.interfaces.web.settings import ServerSettings
from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution


@dataclass(frozen=True)
class Services:
    """Parts of a server."""

    settings: ServerSettings
    folder: DataFolder
    store: Store
    library: Library
    queue: JobQueue
    lessons: Lessons
    tables: PlayerCatalogue
    strategies: Strategies

    @classmethod
    def open(cls, settings: ServerSettings) -> Services:
        """Open the data folder, making it where it is not there."""
        folder = DataFolder(settings.data)
        try:
            store = Store(settings.data / CATALOGUE)
        except EquilibristError:
            folder.close()
            raise
        library = Library(settings.data, store)
        queue = JobQueue(settings, store, library)
        players = PlayerCatalogue(settings.data)
        return cls(settings, folder, store, library, queue, Lessons(), players, Strategies(players))

    def add_file(self, file: Path) -> str:
        """Take a saved solution in: it can be played against, and spots are in the library too; says where it is."""
        name = self.tables.add_file(file)
        if artifact_kind(file) != SpotSolution.kind:
            return f"'{name}' can be played against."
        return f"'{name}' is in the library as {self.library.add_file(file).id}, and can be played against."

    def close(self) -> None:
        self.queue.close()
        self.store.close()
        self.folder.close()


def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


Here = Annotated[Services, Depends(_services)]
