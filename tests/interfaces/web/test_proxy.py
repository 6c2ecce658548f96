"""The league behind a real nginx, with the configuration that is shipped: TLS, addresses, bounds."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from outflank.interfaces.league_client import LeagueClient
from tests.interfaces.web.serving import Served, counter_file, eventually, serving, without_players
from tests.interfaces.web.test_lab import made_run

SHIPPED = Path(__file__).parents[3] / "deploy" / "nginx.conf"
NAME = "league.example.org"
MOST = 32  # requests of one address at once
WRITES = 5
MAIN = """
{user}
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/errors.log info;
events {{ worker_connections 512; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  include {folder}/outflank.conf;
}}
"""
pytestmark = pytest.mark.skipif(
    not shutil.which("nginx") or not shutil.which("openssl"), reason="nginx or openssl is not installed"
)


@dataclass
class Proxied:
    """A league, and nginx in front of it."""

    league: Served
    plain: int  # ports of nginx
    tls: int
    context: ssl.SSLContext

    def client(self, address: str = "127.0.0.1", **more: Any) -> httpx.Client:
        """Whoever comes from an address, and takes the name of the league for 127.0.0.1."""
        transport = httpx.HTTPTransport(verify=self.context, local_address=address)
        return _Client(self, transport, more)

    def connected(self, address: str = "127.0.0.1") -> ssl.SSLSocket:
        here = "::1" if ":" in address else "127.0.0.1"
        opened = socket.create_connection((here, self.tls), 60, source_address=(address, 0))
        return self.context.wrap_socket(opened, server_hostname=NAME)


class _Client(httpx.Client):
    """Sends requests for the league's name to the ports that nginx has here."""

    def __init__(self, proxied: Proxied, transport: httpx.BaseTransport, more: dict[str, Any]) -> None:
        self._ports = {"https": proxied.tls, "http": proxied.plain}
        super().__init__(base_url=f"https://{NAME}", transport=transport, timeout=60, **more)

    def send(self, request: httpx.Request, **more: Any) -> httpx.Response:
        request.headers["host"] = NAME
        request.extensions["sni_hostname"] = NAME
        request.url = request.url.copy_with(host="127.0.0.1", port=self._ports[request.url.scheme])
        return super().send(request, **more)


def has_ipv6() -> bool:
    with contextlib.suppress(OSError), socket.create_server(("::1", 0), family=socket.AF_INET6):
        return True
    return False


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as probes:
        found = [probes.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [probe.getsockname()[1] for probe in found]


def configuration(folder: Path, league: int, plain: int, tls: int) -> str:
    """The shipped file with this machine's ports and files."""
    text = SHIPPED.read_text()
    for shipped, ours in (
        ("server 127.0.0.1:8000;", f"server 127.0.0.1:{league};"),
        ("listen 80;", f"listen 127.0.0.1:{plain};"),
        ("    listen [::]:80;\n", ""),
        ("listen 443 ssl http2;", f"listen 127.0.0.1:{tls} ssl http2;"),
        ("    listen [::]:443 ssl http2;\n", f"    listen [::1]:{tls} ssl http2;\n" if has_ipv6() else ""),
        (f"/etc/letsencrypt/live/{NAME}/fullchain.pem", f"{folder}/certificate.pem"),
        (f"/etc/letsencrypt/live/{NAME}/privkey.pem", f"{folder}/key.pem"),
    ):
        assert text.count(shipped) == 1, shipped
        text = text.replace(shipped, ours)
    return text


def certificate(folder: Path) -> ssl.SSLContext:
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}",
         "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", "key.pem", "-out", "certificate.pem"],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip
    return ssl.create_default_context(cafile=str(folder / "certificate.pem"))


@contextlib.contextmanager
def nginx(folder: Path, league: int) -> Iterator[tuple[int, int, ssl.SSLContext]]:
    plain, tls = free_ports(2)
    context = certificate(folder)
    (folder / "outflank.conf").write_text(configuration(folder, league, plain, tls))
    user = "user root;" if os.geteuid() == 0 else ""  # so that its workers may use this folder
    (folder / "nginx.conf").write_text(MAIN.format(folder=folder, user=user))
    command = ["nginx", "-p", str(folder), "-e", str(folder / "errors.log"), "-c", str(folder / "nginx.conf"),
               "-g", "daemon off;"]  # fmt: skip
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:

        def answers() -> bool:
            assert process.poll() is None, process.stderr and process.stderr.read()
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", tls), 5):
                return True
            return False

        try:
            eventually(answers)
            yield plain, tls, context
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxied]:
    folder = tmp_path_factory.mktemp("proxied")
    (folder / "runs").mkdir()
    made_run(folder / "runs" / "plain", [0.2, 0.3])
    database = without_players(f"sqlite:///{folder / 'league.db'}")
    options = ("--no-worker", "--behind-proxy", "--runs=runs", f"--writes-per-minute={WRITES}",
               "--connections-per-address=2")  # fmt: skip
    with (
        serving(folder, database, *options) as league,
        nginx(folder, int(league.address.rsplit(":", 1)[1])) as (plain, tls, context),
    ):
        yield Proxied(league, plain, tls, context)


def test_the_table_by_tls(proxied: Proxied) -> None:
    with proxied.client() as client:
        table = client.get("/")
        assert table.status_code == 200
        assert "The league" in table.text or "<table" in table.text
        assert table.headers["strict-transport-security"].startswith("max-age=")
        assert table.headers["x-frame-options"] == "DENY"
        assert client.get("/static/style.css").status_code == 200
        assert client.get("/metrics").status_code == 404
        insecure = client.get(f"http://{NAME}/players/1?a=b")
        assert (insecure.status_code, insecure.headers["location"]) == (301, f"https://{NAME}/players/1?a=b")


def test_redirects_stay_on_the_outer_host_and_scheme(proxied: Proxied) -> None:
    with proxied.client() as client:
        found = client.get("/competitions/?a=1")
        assert (found.status_code, found.headers["location"]) == (307, "/competitions?a=1")
        followed = client.get("/competitions/", follow_redirects=True)
        assert followed.status_code == 200
        assert followed.url.scheme == "https"


def test_addresses_are_told_apart(proxied: Proxied) -> None:
    """Each has its own rates, and nobody gets others by writing the header themselves."""

    def register(address: str, number: int) -> int:
        with proxied.client(address, headers={"X-Forwarded-For": f"192.0.2.{number}"}) as client:
            name = f"{address.replace('.', '-')} {number}"
            return client.post("/api/v1/entrants", json={"name": name}).status_code

    assert [register("127.0.0.11", number) for number in range(WRITES + 1)] == [201] * WRITES + [429]
    assert register("127.0.0.12", 0) == 201


def test_a_player_is_handed_in(proxied: Proxied, tmp_path: Path) -> None:
    with LeagueClient(proxied.league.address) as league:
        key = league.register("Ada")
    file = counter_file(tmp_path, 1).read_bytes()
    with proxied.client("127.0.0.13", headers={"Authorization": f"Bearer {key}"}) as client:
        form = {"name": "by nginx", "view": "inversion"}
        answer = client.post("/api/v1/players", data=form, files={"file": file})
        assert answer.status_code == 201, answer.text
        large = client.post("/api/v1/players", data=form, files={"file": b"0 " * (8 << 20) + b"0"})
        assert large.status_code in (400, 413)  # the league's own sentence, not nginx's page
        assert "16 MB" in large.json()["error"]
        found = client.get(f"/api/v1/players/{answer.json()['id']}/file")
        assert found.content == file


def test_streams_come_through_as_they_are_written(proxied: Proxied) -> None:
    url = "/api/v1/runs/plain/events"
    with proxied.client("127.0.0.14") as client, client.stream("GET", url) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = stream.iter_lines()
        assert next(lines) == "event: log"  # the stream goes on for as long as the run learns


@pytest.mark.parametrize("address", ["127.0.0.15", "::1"])
def test_an_address_has_so_many_requests_under_way(proxied: Proxied, address: str) -> None:
    """Such as requests whose bodies are on their way."""
    if ":" in address and not has_ipv6():
        pytest.skip("there is no IPv6 here")
    head = (
        f"POST /api/v1/entrants HTTP/1.1\r\nHost: {NAME}\r\nContent-Type: application/json\r\n"
        "Content-Length: 100\r\n\r\n{"
    ).encode()

    def status() -> bytes:
        with proxied.connected(address) as one_more:
            one_more.sendall(f"GET /healthz HTTP/1.1\r\nHost: {NAME}\r\nConnection: close\r\n\r\n".encode())
            return one_more.recv(1 << 16).split(b" ")[1]

    with contextlib.ExitStack() as several:
        for _ in range(MOST - 1):
            several.enter_context(proxied.connected(address)).sendall(head)
        assert status() == b"200"
        several.enter_context(proxied.connected(address)).sendall(head)
        eventually(lambda: status() == b"429")  # as soon as nginx has read this head
        with proxied.client("127.0.0.16") as other:
            assert other.get("/healthz").status_code == 200
    eventually(lambda: status() == b"200")


def test_a_crowd_of_one_address_is_answered_up_to_its_rate(proxied: Proxied) -> None:
    """The league itself counts no connections behind a proxy: all of them are nginx's."""
    statuses: list[int] = []

    def ask() -> None:
        with proxied.client("127.0.0.17") as client:
            statuses.extend(client.get("/healthz").status_code for _ in range(5))

    threads = [threading.Thread(target=ask) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [200] * 100


def test_a_head_that_never_ends(proxied: Proxied) -> None:
    with proxied.connected("127.0.0.18") as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: league\r\n" + b"X: " + b"x" * (40 << 10) + b"\r\n\r\n")
        assert client.recv(1 << 16).split(b" ")[1] in (b"400", b"414", b"431")
