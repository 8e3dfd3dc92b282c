"""A scripted user of `equilibrist serve` for as long as you like: memory, open files and threads must stay as they are.

python tests/robustness/serve_soak.py --minutes 60
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).parents[1]))
from web_server import API, RIVER, start_server

RIVERS = ("Td9d6hQc2s", "AhKd2c2d9s", "8s7s3d3c2h", "QhJhTd5c4s", "KcKd7h6s2d")
GAMES = (("equilibrium", "kuhn"), ("equilibrium", "leduc"), ("rule-based", "nolimit-holdem(stack=2000)"))
WARM = 1 / 3  # of the time, after which nothing may grow any more
MAY_GROW = 0.05  # of the memory


@dataclass(frozen=True)
class Sample:
    """What a process holds."""

    seconds: float
    memory_mb: float
    files: int
    threads: int

    @classmethod
    def of(cls, pid, began):
        status = Path(f"/proc/{pid}/status").read_text()
        told = dict(line.split(":", 1) for line in status.splitlines())
        files = len(list(Path(f"/proc/{pid}/fd").iterdir()))
        return cls(time.monotonic() - began, int(told["VmRSS"].split()[0]) / 1024, files, int(told["Threads"]))


@dataclass
class User:
    """Does what people do, over and over; whatever it makes it takes away again."""

    link: str
    rng: random.Random
    client: httpx.Client
    pause: float
    done: Counter = field(default_factory=Counter)

    def ask(self, method, path, **given):
        answer = self.client.request(method, self.link + API + path, **given)
        assert answer.status_code < 400, f"{method} {path} {given}: {answer.status_code} {answer.text[:300]}"
        self.done[f"{method} {path.split('/')[1]}"] += 1
        time.sleep(self.pause)
        return answer.json() if answer.status_code != 204 else None

    def wait(self, job):
        while (found := self.ask("GET", f"/jobs/{job}"))["status"] in ("queued", "running"):
            time.sleep(0.05)
        assert found["status"] in ("done", "stopped"), found

    def round(self):
        for part in self.rng.sample([self.study, self.play, self.learn, self.watch, self.look], 5):
            part()

    def study(self):
        """Solve, walk, lock, compare, train, delete."""
        spot = RIVER | {"board": self.rng.choice(RIVERS), "pot": self.rng.randrange(100, 400)}
        self.ask("POST", "/spots/check", json=spot)
        first = self.ask("POST", "/jobs", json={"spot": spot, "until": "1%"})["id"]
        self.wait(first)
        lines = [""]
        for _ in range(8):
            node = self.ask("GET", f"/solutions/{first}/node", params={"line": self.rng.choice(lines)})
            lines += [f"{node['line']}:{label}".lstrip(":") for label in node["labels"]]
        self.ask("GET", f"/solutions/{first}/categories")
        lock = {"line": "", "strategy": {"x": 1.0}}
        second = self.ask("POST", "/jobs", json={"solution": first, "lock": [lock], "until": "1%"})["id"]
        self.wait(second)
        self.ask("GET", "/compare", params={"first": first, "second": second})
        self.ask("GET", f"/trainer/{first}/question", params={"seed": self.rng.randrange(1000)})
        for number in (first, second):
            self.ask("DELETE", f"/solutions/{number}")
            self.ask("DELETE", f"/jobs/{number}")
        stopped = self.ask("POST", "/jobs", json={"spot": spot, "until": None, "iterations": 1_000_000})["id"]
        self.ask("POST", f"/jobs/{stopped}/cancel")
        self.wait(stopped)
        self.ask("DELETE", f"/jobs/{stopped}")

    def play(self):
        agent, game = self.rng.choice(GAMES)
        table = self.ask("POST", "/tables", json={"agent": agent, "game": game})
        for _ in range(12):
            if table["over"]:
                table = self.ask("POST", f"/tables/{table['id']}/deal")
                continue
            offers = [offer["label"] for offer in table["choice"]["offers"]]
            asked = {"hand": table["hand"], "move": table["move"], "action": self.rng.choice(offers)}
            table = self.ask("POST", f"/tables/{table['id']}/act", json=asked)

    def learn(self):
        game, solver = self.rng.choice(("kuhn", "leduc")), self.rng.choice(("cfr", "cfr+", "dcfr"))
        for iteration in sorted(self.rng.sample(range(200), 4)):
            self.ask("GET", "/lessons/state", params={"game": game, "solver": solver, "iteration": iteration})

    def watch(self):
        """The stream of jobs, opened and left."""
        with self.client.stream("GET", f"{self.link}{API}/jobs/events") as stream:
            next(stream.iter_lines())
        self.done["GET events"] += 1

    def look(self):
        """The page and what it loads."""
        for path in ("/", "/static/js/main.js", "/static/css/base.css"):
            assert self.client.get(self.link + path).status_code == 200
        self.ask("GET", "/solutions")
        self.ask("GET", "/strategies")
        self.ask("GET", "/agents")
        self.ask("POST", "/ranges", json={"text": "22+,A2s+"})


def soak(minutes, data, *, pause=0.02, say=lambda text: None):
    """Samples over the time, first and last included, and what was done."""
    process, link = start_server(data)
    try:
        with httpx.Client(timeout=60.0) as client:
            user, began = User(link, random.Random(1), client, pause), time.monotonic()
            user.round()
            samples, end, step = [Sample.of(process.pid, began)], began + 60.0 * minutes, max(60.0 * minutes / 30, 5.0)
            say(str(samples[0]))
            while time.monotonic() < end:
                user.round()
                if time.monotonic() - began - samples[-1].seconds >= step or time.monotonic() >= end:
                    time.sleep(0.5)  # connections that were left are closed
                    samples.append(Sample.of(process.pid, began))
                    say(str(samples[-1]))
            return samples, user.done
    finally:
        process.terminate()
        process.wait()


def judge(samples):
    """None, or what grew from the time when all is warm until the end."""
    warm = [each for each in samples if each.seconds >= WARM * samples[-1].seconds]
    first, last = warm[0], warm[-1]
    if last.memory_mb > first.memory_mb * (1.0 + MAY_GROW):
        return f"memory grew from {first.memory_mb:.0f} to {last.memory_mb:.0f} MB"
    if last.files > max(each.files for each in warm[: max(1, len(warm) // 2)]) + 2:
        return f"open files grew from {first.files} to {last.files}"
    if last.threads > max(each.threads for each in warm[: max(1, len(warm) // 2)]):
        return f"threads grew from {first.threads} to {last.threads}"
    return None


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--minutes", type=float, default=3.0)
    options.add_argument("--pause", type=float, default=0.02, help="seconds between two requests")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        samples, done = soak(given.minutes, Path(folder) / "data", pause=given.pause, say=tell)
    tell(f"{sum(done.values()):,} requests: {dict(done)}")
    for name, each in (("start", samples[0]), ("end", samples[-1])):
        tell(f"{name}: {each.memory_mb:.1f} MB, {each.files} open files, {each.threads} threads, {each.seconds:.0f} s")
    problem = judge(samples)
    tell(problem or "flat")
    return 1 if problem else 0


def tell(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
