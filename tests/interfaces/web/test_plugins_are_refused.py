"""A league's players are data: nothing that is sent to a server, or that it shows, makes it import code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from safetensors.numpy import save

from outflank import Mlp, StoredPlayer, save_player
from outflank.evaluators.storage import FORMAT
from tests.conftest import Outflank
from tests.interfaces.web.serving import start, stop

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
    import numpy as np

    architecture = {"kind": "plug-in", "evaluator": reference, "weights": 2}
    described = {"architecture": architecture, "view": "inversion", "provenance": {}}
    return save({"weights": np.zeros(2)}, metadata={FORMAT: json.dumps(described)})


def test_no_code_is_imported(tmp_path: Path, outflank: Outflank, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spy.py").write_text(SPY)
    (tmp_path / "runs" / "evil").mkdir(parents=True)
    (tmp_path / "runs" / "evil" / "settings.toml").write_text(RUN)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))  # the server could import it, if it wanted to
    served = start(tmp_path, "sqlite:///league.db", "--runs=runs", "--no-worker")
    try:
        client = served.client()
        key = client.post("/api/v1/entrants", json={"name": "Eve"}).json()["api_key"]
        sender = served.client(key)
        for content in (b"spy:player", b"\x08spy:player", named_in_metadata("spy:player")):
            answer = sender.post(
                "/api/v1/players", data={"name": "spy", "view": "inversion"}, files={"file": content}
            )
            assert answer.status_code in (400, 422), answer.text
        for path in ("/api/v1/runs", "/lab", "/compare?a=spy:player&b=spy:player"):
            client.get(path)
        client.post("/api/v1/play", json={"player": "spy:player", "moves": ""})
        save_player(StoredPlayer(Mlp(range(265), hidden=4), "inversion"), tmp_path / "net.onnx")
        form = {"name": "network", "view": ""}
        answer = sender.post(
            "/api/v1/players", data=form, files={"file": (tmp_path / "net.onnx").read_bytes()}
        )
        assert answer.status_code == 201, answer.text
        assert (answer.json()["view"], answer.json()["weights"]) == ("inversion", 265)
        number = answer.json()["id"]
        assert client.get(f"/api/v1/players/{number}/file").headers["content-disposition"].endswith('.onnx"')
    finally:
        stop(served)
    refused = outflank("serve", "--with", "spy:player", "--port=0", cwd=tmp_path)
    assert refused.returncode == 2, refused.stdout
    assert not (tmp_path / "imported").exists()
    assert outflank("score", "spy:player", cwd=tmp_path).returncode == 2  # no player, but here it is imported
    assert (tmp_path / "imported").exists()
