"""A server over a fresh data folder, and a real Chromium."""

import shutil

import pytest

pytest.importorskip("fastapi", reason="the browser needs the extra 'web'")

from fastapi.testclient import TestClient

from equilibrist.interfaces.web.app import create_app
from equilibrist.interfaces.web.settings import ServerSettings
from web_server import SECONDS, start_server


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def client(data):
    with TestClient(create_app(ServerSettings(data=data)), base_url="http://localhost") as client:
        yield client


@pytest.fixture(scope="module")
def chromium():
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is missing; try: make browser")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("Chromium is missing; try: make browser")
    with driver.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(chromium, tmp_path_factory):
    process, link = start_server(tmp_path_factory.mktemp("browser") / "data")
    yield link
    process.terminate()
    process.wait()


@pytest.fixture
def open_page(chromium, server):
    """Pages of their own, each a fresh browser; what goes wrong on any of them fails the test."""
    troubles, contexts = [], []

    def make(path="/", **options):
        context = chromium.new_context(base_url=server, **{"viewport": {"width": 1400, "height": 1000}} | options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(SECONDS)
        page.on("console", lambda told: troubles.append(told.text) if told.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.goto(path)
        page.wait_for_selector("main[data-ready]")
        return page

    yield make
    for context in contexts:
        context.close()
    assert troubles == []
