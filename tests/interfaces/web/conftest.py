"""A server over a fresh data folder."""

import pytest

pytest.importorskip("fastapi", reason="the browser needs the extra 'web'")

from fastapi.testclient import TestClient

from equilibrist.interfaces.web.app import create_app
from equilibrist.interfaces.web.settings import ServerSettings


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def client(data):
    with TestClient(create_app(ServerSettings(data=data)), base_url="http://localhost") as client:
        yield client
