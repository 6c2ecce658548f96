"""Other libraries, each installed in a virtual environment and timed by a script that its Python runs."""

from __future__ import annotations

import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

_SCRIPTS = Path(__file__).with_name("peers")


@dataclass(frozen=True)
class Peer:
    """A library of others; `script` prints how much it does per second."""

    name: str
    requirements: tuple[str, ...]
    script: str

    def install(self, cache: Path) -> InstalledPeer:
        """Install it below a folder, once."""
        folder = cache / f"peer-{self.name}"
        python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        ready = folder / "ready"
        wanted = "\n".join(self.requirements)
        if not ready.exists() or ready.read_text(encoding="utf-8") != wanted:
            venv.create(folder, with_pip=True, clear=True)
            command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            result = subprocess.run(
                [*command, *self.requirements], capture_output=True, text=True, check=False
            )
            if result.returncode != 0:
                last = result.stderr.strip().splitlines()[-1:] or ["pip gave no reason"]
                raise ValueError(f"{self.name} could not be installed: {last[0]}")
            ready.write_text(wanted, encoding="utf-8")
        return InstalledPeer(self, python)


@dataclass(frozen=True)
class InstalledPeer:
    """A library that is ready to be timed."""

    peer: Peer
    python: Path

    def per_second(self) -> float:
        script = str(_SCRIPTS / self.peer.script)
        result = subprocess.run([str(self.python), script], capture_output=True, text=True, check=False)
        if result.returncode != 0:
            last = result.stderr.strip().splitlines()[-1:] or ["it gave no reason"]
            raise ValueError(f"{self.peer.name} failed: {last[0]}")
        return float(result.stdout)


RUST_REVERSI = Peer("rust-reversi", ("rust-reversi==1.4.4",), "rust_reversi_playouts.py")
OPEN_SPIEL = Peer("open-spiel", ("open_spiel==2.0.2",), "open_spiel_steps.py")
PGX = Peer("pgx", ("pgx==2.6.0", "jax==0.10.2"), "pgx_steps.py")
PEERS = (RUST_REVERSI, OPEN_SPIEL, PGX)
