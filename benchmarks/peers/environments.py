"""Environments of the peers, apart from ours: ``.venv-peers/<name>``."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

from benchmarks.folders import ROOT

FOLDER = ROOT / ".venv-peers"


def interpreter(adaptor: ModuleType) -> Path:
    return FOLDER / getattr(adaptor, "ENVIRONMENT", "common") / "bin" / "python"


def install(adaptor: ModuleType) -> str:
    """Install a peer once; return its version, or why it could not be installed."""
    name = adaptor.REQUIRES[0]
    record = FOLDER / f"{name}.json"
    if record.exists():
        return json.loads(record.read_text())
    print(f"installing {name} ...", file=sys.stderr)
    python = interpreter(adaptor)
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", python.parents[1]], check=True)
        _pip(python, "--upgrade", "pip")
    before = getattr(adaptor, "BEFORE", [])
    if before:
        _pip(python, *before)
    outcome = _pip(python, *getattr(adaptor, "PIP", []), *adaptor.REQUIRES)
    found = {"version": _version(python, name)} if outcome == "" else {"failed": outcome}
    record.write_text(json.dumps(found))
    return found


def _pip(python: Path, *arguments: str) -> str:
    """Run pip; return an empty text on success, else the line of its output with the reason."""
    command = [python, "-m", "pip", "--disable-pip-version-check", "-q", "install", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        return ""
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    causes = [line for line in lines if re.match(r"\w*(Error|ERROR)\b", line)]
    return (causes or lines or ["pip failed"])[0][:160]


def _version(python: Path, name: str) -> str:
    code = f"import importlib.metadata as m; print(m.version({name!r}))"
    return subprocess.run([python, "-c", code], capture_output=True, text=True).stdout.strip()
