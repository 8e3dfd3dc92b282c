"""How long people wait for the browser: page usable, grid redrawn, a node of a turn solution over the API.

Starts a server over a fresh folder, solves a turn and a river with all hands, and measures in Chromium (Playwright) and over HTTP.
Limits stand beside the numbers; `--json` prints one object. `bare_page_ms` is what the browser itself takes for a page with nothing on it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from typing import Any

TURN = {
    "board": "Td9d6hQc",
    "pot": 200,
    "stack": 900,
    "range": {
        "oop": "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s",
        "ip": "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+",
    },
    "bets": {"bet": "60%, e, a", "raise": "2.5x"},
    "thresholds": {"add_allin": 1.5, "force_allin": 0.15, "merge": 0.1},
}
WIDE = TURN | {
    "board": "Td9d6hQc2s",
    "range": {"oop": "random", "ip": "random"},
    "bets": {"bet": "33%, 75%, a", "raise": "60%, a"},
}
LIMITS = {
    "bare_page_ms": 1000.0,
    "page_usable_ms": 1000.0,
    "spot_checked_ms": 1000.0,
    "grid_redraw_ms": 50.0,
    "grid_on_screen_ms": 50.0,
    "node_first_ms": 20.0,
    "node_again_ms": 20.0,
}


def ask(base: str, path: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + "/api/v1" + path, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def solved(base: str, spot: Any) -> str:
    job: str = ask(base, "/jobs", {"spot": spot, "until": "0.5%"})["id"]
    while (found := ask(base, f"/jobs/{job}"))["status"] in ("queued", "running"):
        time.sleep(0.1)
    assert found["status"] == "done", found["message"]
    return job


def node_times(base: str, job: str) -> tuple[list[float], list[float]]:
    """Milliseconds of every first request for a place of the turn and of two rivers, and of the same again."""
    lines = ["x", "x:b216", "x:b120", "x:b120:c", "b120", "b120:c", "x:x"]
    lines += [f"x:x:{card}{rest}" for card in ("8h", "2c") for rest in ("", ":x", ":b120")]
    for line in ("", "x:x:Ac"):  # opens the file, compiles, and works the values of all places out, once
        ask(base, f"/solutions/{job}/node?line={line}")
    took: tuple[list[float], list[float]] = ([], [])
    for times in took:
        for line in lines:
            begin = time.perf_counter()
            ask(base, f"/solutions/{job}/node?line={line}")
            times.append(1000.0 * (time.perf_counter() - begin))
    return took


def in_browser(base: str, wide: str) -> dict[str, list[float]]:
    """Milliseconds until the page can be used, and of redrawing a grid of 1,326 hands."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    bare, pages, checks, redraws, frames = [], [], [], [], []
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for _ in range(5):  # each a fresh browser with an empty cache
            context = browser.new_context(viewport={"width": 1400, "height": 1000})
            page = context.new_page()
            begin = time.perf_counter()
            page.goto(f"{base}/static/icon.svg")
            bare.append(1000.0 * (time.perf_counter() - begin))
            context.close()
            context = browser.new_context(viewport={"width": 1400, "height": 1000})
            page = context.new_page()
            begin = time.perf_counter()
            page.goto(f"{base}/solve")
            page.wait_for_selector("main[data-ready]")
            pages.append(1000.0 * (time.perf_counter() - begin))
            page.wait_for_selector("#solve:not([disabled])")
            checks.append(1000.0 * (time.perf_counter() - begin))
            context.close()
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.goto(f"{base}/study/{wide}")
        page.wait_for_selector(".cell.on")
        for way in ("range", "equity", "ev", "eqr", "strategy") * 3:
            drawn, shown, _ = page.evaluate(REDRAW, way)
            redraws.append(drawn)
            frames.append(shown)
        browser.close()
    return {
        "bare_page_ms": bare,
        "page_usable_ms": pages,
        "spot_checked_ms": checks,
        "grid_redraw_ms": redraws,
        "grid_on_screen_ms": frames,
    }


# the page's own grid with every hand there is: script, style and layout; and until the frame that shows it
REDRAW = """async (way) => {
  const { NodeGrid } = await import('/static/js/node_grid.js');
  const { PAIRS, pairName } = await import('/static/js/hands.js');
  const hands = PAIRS.map((_, pair) => pairName(pair)).reverse();
  const numbers = hands.map(() => Math.random());
  const node = { board: '', labels: ['x', 'b1', 'b2'], actions: ['check', 'bet 1', 'bet 2'],
    colours: ['#009e73', '#f0a830', '#a81e2d'], hands, weight: numbers,
    hand_ev: numbers, hand_equity: numbers, hand_eqr: numbers, strategy: numbers.map((x) => [x / 2, x / 2, 1 - x]) };
  window.measured ??= new NodeGrid({});
  if (!window.measured.element.isConnected) document.querySelector('main').prepend(window.measured.element);
  await new Promise((done) => requestAnimationFrame(done));
  const begin = performance.now();
  window.measured.draw(node, { mode: way });
  window.measured.element.getBoundingClientRect();
  const drawn = performance.now() - begin;
  const channel = new MessageChannel();
  await new Promise((done) => requestAnimationFrame(() => { channel.port1.onmessage = done; channel.port2.postMessage(0); }));
  return [drawn, performance.now() - begin, hands.length];
}"""


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as data:
        command = [sys.executable, "-m", "equilibrist", "serve", "--port", "0", "--data", data, "--threads", "1"]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            assert server.stderr is not None
            base = server.stderr.readline().split()[3].rstrip("/")
            turn, wide = solved(base, TURN), solved(base, WIDE)
            first, again = node_times(base, turn)
            measured = in_browser(base, wide) | {"node_first_ms": first, "node_again_ms": again}
        finally:
            server.terminate()
            server.wait()
    result = {
        name: {"median": statistics.median(times), "worst": max(times), "limit": LIMITS[name]}
        for name, times in measured.items()
    }
    if arguments.json:
        json.dump(result | {"load": os.getloadavg()[0]}, sys.stdout, indent=1)
        print()
        return
    for name, numbers in result.items():
        ratio = numbers["limit"] / numbers["median"]
        print(
            f"{name:18s} median {numbers['median']:7.1f}  worst {numbers['worst']:7.1f}  limit {numbers['limit']:6.0f}  ratio {ratio:5.1f}"
        )
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
