"""Completions of shells, by the protocol of their scripts."""

import os
import re
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from thresher.cli._app import app
from thresher.cli._options import GENERATORS, METHODS


def script_for(shell):
    """Return the script for a shell from a real process: the option depends on how the program was started."""
    environment = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    command = [sys.executable, "-m", "thresher", "--show-completion", shell]
    result = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    return result.stdout


def thresher(**variables):
    result = CliRunner().invoke(app, [], env=variables, prog_name="thresher")
    assert result.exit_code == 0, result.output
    return result.stdout


def complete(shell, line):
    """Return the completions of the script of a shell for a line that ends at the cursor."""
    if shell == "bash":
        position = str(len(line.split(" ")) - 1)
        output = thresher(_THRESHER_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=position)
        return output.split()
    request = {"_THRESHER_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": line}
    if shell == "fish":
        output = thresher(**request, _TYPER_COMPLETE_FISH_ACTION="get-args")
        return [name.partition("\t")[0] for name in output.splitlines()]
    output = thresher(**request)
    return re.findall(r'^(?:_arguments .*\(\()?"([^"]*)"', output, re.MULTILINE)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_is_shown(shell):
    script = script_for(shell)
    assert "_THRESHER_COMPLETE" in script
    assert f"complete_{shell}" in script
    assert "thresher" in script


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_commands_options_and_methods_are_completed(shell):
    assert complete(shell, "thresher sta") == ["stability"]
    assert "--exclude" in complete(shell, "thresher probe data.csv --ex")
    assert complete(shell, "thresher select data.csv --method rr") == ["rrct", "rrfs"]
    assert complete(shell, "thresher select data.csv --missing pa") == ["pairwise"]


def test_the_last_of_several_methods_is_completed():
    assert complete("bash", "thresher compare data.csv -m mrmr,fc") == ["mrmr,fcbf"]
    assert complete("bash", "thresher compare data.csv -m mrmr,fcbf,") == [
        f"mrmr,fcbf,{name}" for name in METHODS
    ]


def test_all_methods_and_data_sets_are_completed():
    assert complete("bash", "thresher select data.csv -m ") == list(METHODS)
    assert complete("bash", "thresher datasets make_") == list(GENERATORS)


@pytest.mark.skipif(not os.path.exists("/bin/bash"), reason="needs bash")
def test_bash_itself_completes_a_method(tmp_path):
    # The command of this environment, whatever is installed elsewhere.
    command = tmp_path / "thresher"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m thresher "$@"\n')
    command.chmod(0o755)
    script = (
        script_for("bash") + "\nCOMP_WORDS=(thresher select data.csv --method mrm) COMP_CWORD=4\n"
        '_thresher_completion thresher mrm --method\necho "${COMPREPLY[@]}"\n'
    )
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    result = subprocess.run(
        ["/bin/bash", "-c", script], env=environment, capture_output=True, text=True, timeout=60
    )
    assert result.stdout.split() == ["mrmr", "mrmrga"], result.stderr
