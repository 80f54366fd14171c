"""Static checks of the workflows: the files they name exist, and their permissions are minimal."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))
pytestmark = [
    pytest.mark.skipif(not WORKFLOWS, reason="no workflows in a source distribution"),
    pytest.mark.skipif(sys.platform == "win32", reason="runs shell scripts"),
    pytest.mark.skipif(shutil.which("make") is None, reason="needs make"),
]

# Jobs that may write something, and what.
MAY_WRITE = {("wheels", "publish"): {"id-token": "write", "attestations": "write"}}


def read(path):
    return yaml.safe_load(path.read_text("utf-8"))


def commands(path):
    """Return all shell lines of a workflow."""
    steps = [step for job in read(path)["jobs"].values() for step in job["steps"]]
    return [line for step in steps for line in step.get("run", "").splitlines()]


def make_targets():
    lines = (ROOT / "Makefile").read_text("utf-8").splitlines()
    rules = [re.match(r"([\w%-]+(?: [\w%-]+)*):(?!=)", line) for line in lines]
    return {target for rule in rules if rule for target in rule[1].split()}


def named_targets(line):
    for call in re.findall(r"(?:^|[;&|] *)make((?: +[\w=./%-]+)+)", line):
        yield from (word for word in call.split() if "=" not in word)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_make_command_of_a_workflow_is_a_target(path):
    for line in commands(path):
        for target in named_targets(line):
            assert target in make_targets(), f"{path.name}: {line}"
            done = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_variable_that_a_workflow_sets_is_one_that_is_read(path):
    makefile = (ROOT / "Makefile").read_text("utf-8")
    sources = "".join(file.read_text("utf-8") for file in ROOT.glob("tests/*.py"))
    settings = (ROOT / "pyproject.toml").read_text("utf-8")
    for line in commands(path):
        if re.match(r"\s*(sudo )?make ", line):
            for name in re.findall(r"\b([A-Z]+)=", line):
                assert re.search(rf"^{name} \?=", makefile, re.MULTILINE), line
    for job in read(path)["jobs"].values():
        for name in [
            *job.get("env", {}),
            *(key for step in job["steps"] for key in step.get("env", {})),
        ]:
            read_by_make = re.search(rf"^{name} \?=", makefile, re.MULTILINE)
            assert read_by_make or f'"{name}"' in sources or f"{name} =" in settings, name


@pytest.mark.parametrize(
    "path", [*WORKFLOWS, ROOT / ".readthedocs.yaml"], ids=lambda path: path.name
)
def test_every_group_and_extra_that_is_installed_exists(path):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    text = path.read_text("utf-8")
    assert set(re.findall(r"--group ([\w-]+)", text)) <= set(project["dependency-groups"])
    for extras in re.findall(r'"\.\[([\w,-]+)\]"', text):
        assert set(extras.split(",")) <= set(project["project"]["optional-dependencies"])


def test_the_core_is_checked_on_windows_as_in_the_makefile():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    lines = commands(ROOT / ".github/workflows/ci.yml")
    levels = re.search(r"^X86_LEVELS := (.+)", makefile, re.MULTILINE)[1]
    assert f"for level in {levels}; do" in lines
    packages = next(line for line in lines if "mingw" in line)
    comment = makefile[makefile.index("# The core alone") : makefile.index("CHECK_FLAGS :=")]
    needed = set(re.findall(r"clang|lld|g\+\+-[\w-]+\w|wine|qemu-[\w-]+\w", comment))
    assert len(needed) == 6
    assert needed <= set(packages.split())


def install_browser(folder, stubs, **variables):
    """`make browser` as a user without root who has these programs, and no browser."""
    for name in ("make", "sh", "bash", "find", "grep", "touch"):
        (folder / name).symlink_to(shutil.which(name))
    for name, script in {"id": "echo 1000", **stubs}.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    env = {"PATH": str(folder), **variables}
    command = ["make", "--no-print-directory", "browser"]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)


def test_a_browser_is_installed_by_sudo(tmp_path):
    stubs = {"sudo": 'echo "sudo $*" >&2', "apt-get": "exit 1"}
    done = install_browser(tmp_path, stubs, CI="true")
    assert done.returncode == 0
    install = next(line for line in done.stderr.splitlines() if " install " in line)
    assert install.startswith("sudo -n ")
    assert install.endswith(" --no-install-recommends install chromium-headless-shell")


@pytest.mark.parametrize("stubs", [{}, {"apt-get": "exit 1", "sudo": "exit 1"}])
def test_a_browser_that_cannot_be_installed_fails_in_ci_alone_and_names_the_flag(tmp_path, stubs):
    assert install_browser(tmp_path, stubs).returncode == 0
    for path in tmp_path.iterdir():
        path.unlink()
    done = install_browser(tmp_path, stubs, CI="true")
    assert done.returncode != 0
    assert "Pass BROWSER=no" in done.stdout
    for path in tmp_path.iterdir():
        path.unlink()
    assert install_browser(tmp_path, stubs, CI="true", BROWSER="no").returncode == 0


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_file_that_a_workflow_names_exists(path):
    for line in commands(path):
        for name in re.findall(r"(?<![\w/])\.?\w+/[\w/.]+\w", line):
            is_made = name.startswith(("build/", "dist/"))
            assert is_made or (ROOT / name).exists(), f"{path.name}: {line}"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_have_read_permissions_except_as_listed(path):
    assert read(path)["permissions"] == {"contents": "read"}
    for name, job in read(path)["jobs"].items():
        expected = MAY_WRITE.get((path.stem, name))
        assert job.get("permissions") == expected, name


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_hash_with_their_version(path):
    for line in path.read_text("utf-8").splitlines():
        if "uses:" in line:
            assert re.search(r"uses: [\w-]+/[\w-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+$", line), line
    for job in read(path)["jobs"].values():
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"] == {"persist-credentials": False}


def test_one_action_has_one_version():
    text = "".join(path.read_text("utf-8") for path in WORKFLOWS)
    pins = set(re.findall(r"uses: (\S+)@(\S+)", text))
    assert len(pins) == len({action for action, _ in pins})


def test_files_have_the_same_ends_of_lines_on_every_system():
    assert "* text=auto eol=lf" in (ROOT / ".gitattributes").read_text("utf-8").splitlines()


def test_every_system_is_tested_and_has_wheels():
    jobs = read(ROOT / ".github/workflows/wheels.yml")["jobs"]
    built = set(jobs["wheels"]["strategy"]["matrix"]["os"])
    assert {name.split("-")[0] for name in built} == {"ubuntu", "macos", "windows"}
    assert jobs["publish"]["needs"] == ["wheels", "sdist"]
    text = (ROOT / ".github/workflows/ci.yml").read_text("utf-8")
    for system in ("ubuntu-latest", "ubuntu-24.04-arm", "macos-latest", "windows-latest", "alpine"):
        assert system in text


def test_the_page_of_contributors_names_targets():
    for page in ("CONTRIBUTING.md", "Makefile", ".ci/run"):
        for line in (ROOT / page).read_text("utf-8").splitlines():
            named = re.match(r"(?:\$ |#   )?make ([a-z][\w-]*)", line)
            if named and named[1] != "reproduce-NAME":
                assert named[1] in make_targets(), line


def test_the_recipe_of_conda_has_the_dependencies_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    recipe = read(ROOT / "recipe/recipe.yaml")
    everywhere = [line for line in project["project"]["dependencies"] if ";" not in line]
    needed = {re.sub(r"(?=>=)", " ", line) for line in everywhere}
    python = f"python {project['project']['requires-python']}"
    assert set(recipe["requirements"]["run"]) == {python, *needed}
    building = {re.sub(r"(?=>=)", " ", line) for line in project["build-system"]["requires"]}
    assert building <= set(recipe["requirements"]["host"])
    assert str(recipe["context"]["version"]) == project["project"]["version"]


@pytest.mark.parametrize(
    "path", [*ROOT.glob(".github/**/*.yml"), ROOT / ".readthedocs.yaml"], ids=lambda p: p.name
)
def test_files_of_settings_are_yaml(path):
    assert read(path)
