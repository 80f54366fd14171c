"""Fits that were killed and resumed: byte-identical results from the partial results in a folder."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

from tests.blocks_of_rows import in_blocks
from thresher import JMI, MRMR, Ensemble
from thresher.blocks import ListEngine


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    """Skip synchronizing files: no machine is switched off here."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def problem(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 25))
    return X, (X[:, :4].sum(axis=1) > 0).astype(int)


class Counted(ListEngine):
    """A backend that counts the request rounds."""

    n_requested = 0

    def request(self, *arguments):
        self.n_requested += 1
        return super().request(*arguments)


def engine(seed=0, ends=(20, 20, 41), weights=None):
    return Counted(in_blocks(*problem(seed), weights, ends)._blocks)


FITS = {
    "counts": lambda: MRMR(5, relevance="mi"),
    "numbers": lambda: MRMR(5, relevance="r2"),
    "triples": lambda: JMI(5),
    "ensemble": lambda: Ensemble(MRMR(4, relevance="mi"), n_parts=4),
}


@pytest.mark.parametrize("name", FITS)
def test_a_log_cut_at_any_byte_gives_the_same_result(name, tmp_path):
    expected = FITS[name]().fit(engine())
    text = expected.to_json()
    whole = engine()
    assert FITS[name]().fit(whole, checkpoint=tmp_path).to_json() == text
    assert whole.n_requested == expected.n_rounds_
    log = tmp_path / "rounds.log"
    written = log.read_bytes()
    again = engine()
    assert FITS[name]().fit(again, checkpoint=str(tmp_path)).to_json() == text
    assert again.n_requested == 0
    offsets = np.random.default_rng(1).integers(0, len(written), 3).tolist()
    for offset in offsets:
        log.write_bytes(written[:offset])
        assert FITS[name]().fit(engine(), checkpoint=tmp_path).to_json() == text
        assert log.read_bytes() == written
    for offset in (len(written) // 2, len(written) - 1):  # a byte that was written wrongly
        log.write_bytes(written[:offset] + bytes([written[offset] ^ 1]) + written[offset + 1 :])
        assert FITS[name]().fit(engine(), checkpoint=tmp_path).to_json() == text


def test_every_byte_of_a_small_log(tmp_path):
    X, y = problem()

    def fitted():
        rows = in_blocks(X[:, :4] > 0, y, None, [9])
        return MRMR(3, relevance="mi").fit(rows, checkpoint=tmp_path).to_json()

    text = fitted()
    log = tmp_path / "rounds.log"
    written = log.read_bytes()
    ends = [i + 1 for i, byte in enumerate(written) if byte == ord("\n")]
    known = set()
    for offset in range(len(written)):
        n_whole = sum(end <= offset for end in ends)
        if n_whole in known and offset + 1 not in ends:  # a fit sees nothing but the whole lines
            continue
        known.add(n_whole)
        log.write_bytes(written[:offset])
        assert fitted() == text
        assert log.read_bytes() == written
    assert known == set(range(len(ends)))


def test_a_checkpoint_of_a_development_version_is_rejected(tmp_path):
    (tmp_path / "plan.json").write_text('{"selector": "MRMR"}')
    log = tmp_path / "rounds.log"
    log.write_bytes(bytes(range(100)))
    with pytest.raises(
        ValueError, match=r"rounds\.log is damaged, or not a checkpoint of this version"
    ):
        MRMR(2).fit(engine(), checkpoint=tmp_path)
    assert log.read_bytes() == bytes(range(100))


@pytest.mark.parametrize(
    ("fit", "other"),
    [
        (lambda folder: MRMR(5, relevance="mi").fit(engine(1), checkpoint=folder), "data"),
        (
            lambda folder: MRMR(5, relevance="mi").fit(
                engine(weights=np.full(60, 2)), checkpoint=folder
            ),
            "data",
        ),
        (lambda folder: MRMR(6, relevance="mi").fit(engine(), checkpoint=folder), "parameters"),
        (lambda folder: JMI(5).fit(engine(), checkpoint=folder), "selector"),
    ],
)
def test_a_checkpoint_of_another_fit_is_rejected(fit, other, tmp_path):
    MRMR(5, relevance="mi").fit(engine(), checkpoint=tmp_path)
    before = (tmp_path / "rounds.log").read_bytes()
    with pytest.raises(
        ValueError, match=f"was written with other {other}.*. Pass another checkpoint"
    ):
        fit(tmp_path)
    assert (tmp_path / "rounds.log").read_bytes() == before


def test_threads_and_verbosity_do_not_make_another_fit(tmp_path):
    first = MRMR(5, relevance="mi").fit(engine(), checkpoint=tmp_path)
    again = engine()
    second = MRMR(5, relevance="mi", n_jobs=2).fit(again, checkpoint=tmp_path)
    assert second.selected_.tolist() == first.selected_.tolist()
    assert again.n_requested == 0


def test_a_checkpoint_must_be_a_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="checkpoint must name a folder"):
        MRMR(2).fit(engine(), checkpoint=tmp_path / "file")


SCRIPT = """
    import sys, time
    from tests.test_blocks_checkpoint import engine, MRMR

    rows = engine()
    request = rows.request

    def slow(*arguments):
        time.sleep(0.02)
        return request(*arguments)

    rows.request = slow
    print("ready", flush=True)
    sys.stdout.write(MRMR(20, relevance="mi").fit(rows, checkpoint=sys.argv[1]).to_json())
"""


def test_a_process_that_is_killed_again_and_again_ends_with_the_same_bytes(tmp_path):
    expected = MRMR(20, relevance="mi").fit(engine()).to_json()
    rng = np.random.default_rng(7)
    command = [sys.executable, "-c", textwrap.dedent(SCRIPT), str(tmp_path)]
    sizes = []
    for _ in range(2):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == "ready\n"
            time.sleep(rng.uniform(0.02, 0.3))
            process.kill()
        log = tmp_path / "rounds.log"
        sizes.append(log.stat().st_size if log.exists() else 0)
    assert sizes == sorted(sizes)
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert found.removeprefix("ready\n") == expected
