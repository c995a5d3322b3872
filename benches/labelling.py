"""Load the labelling page: 20 labellers at 5 labels a second on a large pool.

Usage: python benches/labelling.py PROGRAM [--rows N] [--people P] [--rate R] [--seconds S]

It prints one line a measurement, each with the bar it is held against. The time of an answer is from the first byte of the
request to the last byte of the answer, after the label was synced; the disk's own sync is measured beside it, on the same disk.
Memory is what a process has resident at most, its program included. The evaluation's own is what `ask` needs to draw from a new
proposal, which the server does too while people label. After the load, the owner's screen and the report are opened once.
"""

import argparse
import gzip
import http.client
import json
import os
import random
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path


class Person(threading.Thread):
    """A labeller with a steady hand."""

    def __init__(self, address, options):
        super().__init__()
        self.host, token = address.removeprefix("http://").split("/#")
        self.options, self.cookie = options, ""
        self.times, self.waits, self.refused = [], [], 0
        self.connection = http.client.HTTPConnection(self.host, timeout=60)
        self.send("POST", "/api/session", {"token": token})

    def send(self, method, path, body=None):
        """Send a request and return its JSON."""
        headers = {"Cookie": self.cookie, "Origin": f"http://{self.host}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        self.connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self.connection.getresponse()
        data = json.loads(answer.read())
        self.cookie = (answer.getheader("Set-Cookie") or self.cookie).split(";")[0]
        return answer.status, data

    def run(self):
        period = 1 / self.options.rate
        time.sleep(random.random() * period)
        end, items, number = time.monotonic() + self.options.seconds, [], 0
        due = time.monotonic()
        while time.monotonic() < end:
            if not items:
                start = time.monotonic()
                items = [view["item"] for view in self.send("GET", "/api/next?count=10")[1]["items"]]
                self.waits.append(time.monotonic() - start)
                continue
            time.sleep(max(0.0, due - time.monotonic()))
            due = max(due + period, time.monotonic() - period)
            number += 1
            body = {"item": items.pop(0), "label": random.choice(["cat", "dog"]), "key": str(number)}
            start = time.monotonic()
            status, _ = self.send("POST", "/api/labels", body)
            self.times.append(time.monotonic() - start)
            self.refused += status != 200

    def look(self):
        """Open the owner's screen and the report; return the seconds that the screen took."""
        start = time.monotonic()
        for path in ("/api/owner", "/api/owner/chart.svg?wide", "/api/owner/chart.svg?narrow"):
            self.fetch(path)
        seconds = time.monotonic() - start
        self.fetch("/api/owner/report.html")
        return seconds

    def fetch(self, path):
        """Read a page of the owner."""
        self.connection.request("GET", path, headers={"Cookie": self.cookie})
        answer = self.connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise AssertionError(f"{path}: status {answer.status}")


def syncs(folder, count=200):
    """Return the times of small synced writes, as a log makes them."""
    times = []
    with (Path(folder) / "sync").open("wb", buffering=0) as file:
        for _ in range(count):
            start = time.monotonic()
            file.write(b"x" * 4096)
            os.fdatasync(file.fileno())
            times.append(time.monotonic() - start)
    return times


def percentile(times, share):
    """Return the time that a share of all do not exceed."""
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def memory(pid):
    """Return the most memory that a process held, in MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) / 1024


def write_pool(path, rows):
    """Write a pool of two classes."""
    rng = random.Random(1)
    with path.open("w") as file:
        file.write("id,prob_cat,prob_dog,text\n")
        for row in range(rows):
            p = round(rng.random() ** 2, 6)
            file.write(f"row-{row},{1 - p:.6f},{p:.6f},photo {row}\n")


def opened(command):
    """Start a server; return it with what it said, and the seconds from its start to the first byte of the page."""
    start = time.monotonic()
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    said = ""
    while True:
        said += server.stdout.readline()
        try:
            document = json.loads(said)
            break
        except ValueError:
            continue
    connection = http.client.HTTPConnection(document["address"].removeprefix("http://").split("/#")[0])
    connection.request("GET", "/")
    connection.getresponse().read(1)
    return server, document, time.monotonic() - start


def needed(command):
    """Run a command, and return the most memory that it held, in MB."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    return used.ru_maxrss / 1024


def own_memory(program, path):
    """Return what a command needs for the same evaluation: to draw from a new proposal, after the first labels."""
    copy, labels = path.with_name("own.labelwise"), path.with_name("own.csv")
    shutil.copy(path, copy)
    asked = subprocess.run([program, "ask", copy, "-n", "200", "--format", "csv"], check=True, capture_output=True, text=True).stdout
    ids = [line.split(",")[0] for line in asked.splitlines()[1:]]
    labels.write_text("id,label\n" + "".join(f"{row},{'cat' if number % 3 else 'dog'}\n" for number, row in enumerate(ids)))
    subprocess.run([program, "tell", copy, labels], check=True, capture_output=True)
    return needed([program, "ask", copy, "-n", "100", "--json"])


def first_bytes(program, folder, rounds=20):
    """Return the seconds to the first byte of a pool of 1,000 items."""
    pool, path, times = Path(folder) / "small.csv", Path(folder) / "small.labelwise", []
    write_pool(pool, 1000)
    subprocess.run([program, "new", pool, "--out", path], check=True, capture_output=True)
    for _ in range(rounds):
        server, _, seconds = opened([program, "label", path, "--json", "--port", "0"])
        times.append(seconds)
        server.kill()
        server.wait()
        server.stdout.close()
    return times


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--rate", type=float, default=5.0)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    page = sum(len(gzip.compress(file.read_bytes())) for file in Path("crates/labelwise-page/src/assets").iterdir())
    print(f"page, compressed: {page / 1000:.1f} kB (bar: 60 kB)")
    with tempfile.TemporaryDirectory() as folder:
        pool, path = Path(folder) / "pool.csv", Path(folder) / "pool.labelwise"
        small = first_bytes(options.program, folder)
        print(f"first byte after the start of the process, 1,000 items: median {1000 * statistics.median(small):.0f} ms, longest of {len(small)} {1000 * max(small):.0f} ms (bar: 50 ms)")
        write_pool(pool, options.rows)
        subprocess.run([options.program, "new", pool, "--out", path], check=True, capture_output=True)
        own = own_memory(options.program, path)
        command = [options.program, "label", path, "--json", "--port", "0", "--who", "p0", "--goal", "1000000", "--batch", "40"]
        names = [f"p{number}" for number in range(1, options.people)]
        server, document, seconds = opened([*command, *[word for name in names for word in ("--invite", name)]])
        addresses = [document["address"], *[address for _, address in document["invitations"]]]
        print(f"first byte after the start of the process, {options.rows:,} items: {1000 * seconds:.0f} ms")
        disk = syncs(folder)
        people = [Person(address, options) for address in addresses]
        for person in people:
            person.start()
        for person in people:
            person.join()
        held = memory(server.pid)
        looked = people[0].look()
        after = memory(server.pid)
        server.kill()
        server.wait()
        times = [one for person in people for one in person.times]
        told = json.loads(subprocess.run([options.program, "status", path, "--json"], check=True, capture_output=True).stdout)["labels"]
        refused = sum(person.refused for person in people)
        sync = percentile(disk, 0.99)
        print(f"labels: {len(times)} given ({len(times) / options.seconds:.0f} a second), {told} on disk after kill -9, {refused} refused")
        print(f"answer: median {1000 * statistics.median(times):.1f} ms, 99th percentile {1000 * percentile(times, 0.99):.1f} ms; the disk's sync {1000 * statistics.median(disk):.1f} ms, 99th percentile {1000 * sync:.1f} ms (bar: 100 ms beyond the sync)")
        print(f"items: median wait {1000 * statistics.median([one for person in people for one in person.waits]):.1f} ms")
        print(f"memory: {held - own:.0f} MB beyond the evaluation's own (bar: 50 MB): {held:.0f} MB at most, `ask` with a new proposal {own:.0f} MB")
        print(f"memory with the owner's screen and the report: {after - own:.0f} MB beyond the evaluation's own; the screen took {looked:.1f} s")


if __name__ == "__main__":
    main()
