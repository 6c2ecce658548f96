"""A league's players are data: nothing that is sent to a server, or that it shows, makes it import code."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import numpy as np
import pytest
from safetensors.numpy import save

from outflank import Mlp, StoredPlayer, save_player
from outflank.evaluators.storage import FORMAT
from outflank.interfaces.league_client import LeagueClient
from tests.conftest import Outflank
from tests.interfaces.web.serving import serving, without_players

API = "/api/v1"

SPY = """
from pathlib import Path
Path(__file__).with_name('imported').touch()
class player: pass
Ga = player
"""
RUN = """
method = "spy:Ga"
generations = 2
evaluator = "spy:player"
fitness = "spy:Ga"
seed_player = ""
"""


def named_in_metadata(reference: str) -> bytes:
    """A player file that names a plug-in as its evaluator."""
    architecture = {"kind": "plug-in", "evaluator": reference, "weights": 2}
    described = {"architecture": architecture, "view": "inversion", "provenance": {}}
    return save({"weights": np.zeros(2)}, metadata={FORMAT: json.dumps(described)})


def test_no_code_is_imported(tmp_path: Path, outflank: Outflank, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spy.py").write_text(SPY)
    (tmp_path / "runs" / "evil").mkdir(parents=True)
    (tmp_path / "runs" / "evil" / "settings.toml").write_text(RUN)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))  # the server could import it, if it wanted to
    database = without_players(f"sqlite:///{tmp_path / 'league.db'}")
    with serving(tmp_path, database, "--runs=runs", "--no-worker") as served:
        with LeagueClient(served.address) as league:
            key = league.register("Eve")
        with served.client(key) as client:
            for content in (b"spy:player", b"\x08spy:player", named_in_metadata("spy:player")):
                form = {"name": "spy", "view": "inversion"}
                answer = client.post(f"{API}/players", data=form, files={"file": content})
                assert answer.status_code in (400, 422), answer.text
            for path in (f"{API}/runs", "/lab", "/compare?a=spy:player&b=spy:player"):
                client.get(path)
            assert client.post(f"{API}/play", json={"player": "spy:player", "moves": ""}).is_client_error
            submits_a_network(client, tmp_path / "net.onnx")
    refused = outflank("serve", "--with", "spy:player", "--port=0", cwd=tmp_path)
    assert refused.returncode == 2, refused.stdout
    assert not (tmp_path / "imported").exists()
    assert outflank("score", "spy:player", cwd=tmp_path).returncode == 2  # no player, but here it is imported
    assert (tmp_path / "imported").exists()


def submits_a_network(client: httpx.Client, path: Path) -> None:
    """ONNX is data: it is inspected, and accepted."""
    save_player(StoredPlayer(Mlp(np.linspace(-1, 1, 265), hidden=4), "inversion"), path)
    form, file = {"name": "network"}, {"file": path.read_bytes()}
    answer = client.post(f"{API}/players", data=form, files=file, timeout=120)
    assert answer.status_code == 201, answer.text
    assert (answer.json()["view"], answer.json()["weights"]) == ("inversion", 265)
    stored = client.get(f"{API}/players/{answer.json()['id']}/file")
    assert stored.content == path.read_bytes()
    assert ".onnx" in stored.headers["content-disposition"]
