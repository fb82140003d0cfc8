"""A Ray cluster of nodes on this machine, each a `ray start` of its own."""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

BESIDE = Path(sys.executable).parent
# A cluster of one's own, which nobody else on the machine gets at.
QUIET = dict(os.environ, RAY_USAGE_STATS_ENABLED="0", RAY_worker_niceness="0",
             RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))


def free_port():
    with socket.socket() as here:
        here.bind(("127.0.0.1", 0))
        return here.getsockname()[1]


def start_node(arguments, cpus=1):
    """A node in a group of processes of its own."""
    command = [str(BESIDE / "ray"), "start", "--block", f"--num-cpus={cpus}", "--disable-usage-stats",
               "--object-store-memory=100000000", *arguments]
    node = subprocess.Popen(command, env=QUIET, start_new_session=True, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    node.cpus = cpus
    return node


def stat(process):
    """The fields of /proc/PID/stat behind the name, which may be any bytes; none if it is gone."""
    try:
        return Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return []


def comm(process):
    """The name of a process; none if it is gone."""
    try:
        return Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        return None


def processes():
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def of_session(leader):
    """The processes of a session."""
    of = ((process, stat(process)) for process in processes())
    return [process for process, fields in of if len(fields) > 3 and int(fields[3]) == leader]


class Processors(threading.Thread):
    """Looks at the processes of nodes while it runs, for what they take of processors.

    A raylet does not wait for its workers, so what they and their children have taken is in no count of another
    process once they have ended: the last that was seen of them counts. What a process has taken that another one
    has waited for is in that one's count.
    """

    EVERY = 0.1

    def __init__(self, nodes):
        super().__init__(daemon=True)
        self.nodes, self.looks, self.ended = nodes, 0, threading.Event()
        self.seen = {}  # process -> (look, parent, whether that is a raylet, ticks)
        self.look()
        self.before = self._ticks()
        self.start()

    def run(self):
        while not self.ended.wait(self.EVERY):
            self.look()

    def look(self):
        self.looks += 1
        leaders = {node.pid for node in self.nodes.all}
        fields = ((process, stat(process)) for process in processes())
        of_nodes = {process: of for process, of in fields if len(of) > 15 and int(of[3]) in leaders}
        for process, of in of_nodes.items():
            parent, ticks = int(of[1]), sum(int(field) for field in of[11:15])
            self.seen[process] = self.looks, parent, comm(parent) == "raylet", ticks

    def seconds(self):
        """What they have taken since this was begun."""
        self.ended.set()
        self.join()
        self.look()
        return (self._ticks() - self.before) / os.sysconf("SC_CLK_TCK")

    def _ticks(self):
        def counts(look, parent, of_raylet):
            # Another process has waited for one that was gone before it.
            waited_for = parent in self.seen and look < self.seen[parent][0]
            return of_raylet or not waited_for

        return sum(ticks for look, parent, of_raylet, ticks in self.seen.values()
                   if counts(look, parent, of_raylet))


def kill(node):
    for process in of_session(node.pid):
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass
    node.wait()


class Nodes:
    """The nodes of a cluster, the first of which is its head."""

    def __init__(self, cpus=1):
        self.room = Path(tempfile.mkdtemp(prefix="plat-cluster-"))
        port = free_port()
        self.all = [start_node(["--head", f"--port={port}", "--include-dashboard=false",
                                f"--temp-dir={self.room}/r"], cpus)]
        self.address = self._address()
        self.wait_for(1)

    def _address(self):
        file, end = self.room / "r" / "ray_current_cluster", time.monotonic() + 120
        while not (file.is_file() and file.read_text()):
            assert time.monotonic() < end and self.all[0].poll() is None, "ray start has failed"
            time.sleep(0.1)
        return file.read_text().strip()

    def wait_for(self, nodes):
        """Until so many nodes are there."""
        count = "import ray, sys; ray.init(address=sys.argv[1], log_to_driver=False);" \
                "print(sum(node['Alive'] for node in ray.nodes()))"
        for _ in range(60):
            done = subprocess.run([sys.executable, "-c", count, self.address], env=QUIET,
                                  capture_output=True, text=True, timeout=120)
            if done.returncode == 0 and int(done.stdout.split()[-1]) >= nodes:
                return
            time.sleep(1)
        raise AssertionError(f"there are no {nodes} nodes: {done.stderr}")

    def add(self, cpus=1):
        node = start_node([f"--address={self.address}"], cpus)
        self.all.append(node)
        self.wait_for(sum(node.poll() is None for node in self.all))
        return node

    def end(self):
        for node in reversed(self.all):
            if node.poll() is None:
                kill(node)
        shutil.rmtree(self.room, ignore_errors=True)
