"""Player files: exact round trips, and one clear sentence for every broken file."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import save

from outflank import NTupleNetwork, PieceCounter, SpatialMlp, StoredPlayer, load_player, save_player
from outflank.evaluators.league_text import PlayerFileError, read_league_text, write_league_text

finite = st.floats(allow_nan=False, allow_infinity=False)
TINY = "{ 1 { 1 2 { 0 } { 63 } { -1 0.5 1e-3 } } }"


def test_layout_is_free() -> None:
    network = read_league_text(TINY)
    assert isinstance(network, NTupleNetwork)
    assert network.tables == (((0,), (63,)),)
    assert network.weights.tolist() == [-1, 0.5, 1e-3]
    assert read_league_text("1\n\n1 2\n0\t63\n-1 5.0E-1\r\n0.001") == network


@given(st.lists(finite, min_size=18, max_size=18))
def test_network_text_round_trip_is_exact(weights: list[float]) -> None:
    network = NTupleNetwork([[[0, 9], [63, 54]], [[1, 2]]], weights)
    assert read_league_text(write_league_text(network)) == network


@given(st.lists(finite, min_size=64, max_size=64))
def test_piece_counter_text_round_trip_is_exact(weights: list[float]) -> None:
    assert read_league_text(write_league_text(PieceCounter(weights))) == PieceCounter(weights)


def test_published_files_round_trip(shared: Path, tmp_path: Path) -> None:
    for path in sorted((shared / "players").iterdir()):
        stored = load_player(path)
        for name in ("again.player", "again.safetensors"):
            save_player(stored, tmp_path / name)
            assert load_player(tmp_path / name).evaluator == stored.evaluator


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no numbers"),
        ("{ }", "no numbers"),
        ("hello", "line 1, column 1: the number of tables should be a whole number, not 'hello'"),
        ("0", "number of tables should be within 1..1000000, got 0"),
        ("1\n1 2\n0 64\n1 2 3", "line 3, column 3: table 1: a square should be within 0..63, got 64"),
        ("1 1 1 -1 1 2 3", "table 1: a square should be within 0..63, got -1"),
        (
            "1 1 2 0 63 1 2",
            r"ends where table 1: a weight \(number 3 of 3\) should be; it may have been cut off",
        ),
        ("1 1 1 0 1 2 nan", "weights must be finite"),
        ("1 1 1 0 1 2 inf", "weights must be finite"),
        ("1 1 1 0 1 2 1e999", "weights must be finite"),
        ("1 1 1 0 1 2 x", "should be a number, not 'x'"),
        ("1 1 1 0 1 2 3 4", "1 numbers are left over"),
        ("1 16 1 0", "tuple length should be within 1..15, got 16"),
        ("1 2.5 1 0", "should be a whole number, not '2.5'"),
        ("nan " * 64, "weights must be finite"),
        ("1 2 1 5 5" + 9 * " 0", "line 1, column 9: table 1: a tuple names square 5 twice"),
        ("{ 1 { 1 1 0 { 1 2 3 }", "a brace is not closed"),
        ("1 1 1 0 } 1 2 3 {", "line 1, column 9: a brace is closed that was not opened"),
        ("1_0", "a whole number, not '1_0'"),
        ("1 1 1 0 1 2 1_0", "a number, not '1_0'"),
        ("1 1 1 0 1 2 0x10", "a number, not '0x10'"),
        ("1 1 1 0 1 2 \u0663", "a number, not"),  # a digit, in Arabic
        ("\u0661 1 1 0 1 2 3", "a whole number, not"),
        ("1 1 1 0 1\u00a02 3 4", "a number, not"),  # a space, in Unicode
        ("1 1 1 0 1 2 --3", "a number, not '--3'"),
        ("1 1 1 0 1 2 +-3", "a number, not '\\+-3'"),
        ("99999999999999999999 1", "number of tables should be within 1..1000000, got 99999"),
        ("1 1 1000000 0", "the file ends where table 1: a square should be"),
    ],
)
def test_broken_text_says_what_and_where(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.player"
    path.write_text(text)
    with pytest.raises(PlayerFileError, match=message) as raised:
        load_player(path)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_every_truncation_of_a_published_player_is_refused(shared: Path, tmp_path: Path) -> None:
    whole = (shared / "players" / "Jaskowski2014All2.player").read_bytes().rstrip(b" \n}")
    cut = tmp_path / "cut.player"
    for length in range(0, len(whole) - 20, 97):
        cut.write_bytes(whole[:length])
        with pytest.raises(PlayerFileError, match=str(cut)):
            load_player(cut)


@given(st.binary(max_size=400))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_a_player_or_a_clear_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "any"
    path.write_bytes(content)
    try:
        load_player(path)
    except PlayerFileError as error:
        assert str(path) in str(error)


@given(st.binary(max_size=60), st.integers(0, 400))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_safetensors_file_is_a_player_or_a_clear_error(
    tmp_path: Path, junk: bytes, at: int
) -> None:
    path = tmp_path / "damaged.safetensors"
    save_player(StoredPlayer(NTupleNetwork.of_shape("all-1"), "inversion"), path)
    content = path.read_bytes()
    path.write_bytes(content[:at] + junk + content[at + len(junk) :])
    try:
        load_player(path)
    except PlayerFileError as error:
        assert str(path) in str(error)


def _safetensors(path: Path, weights: object, **metadata: object) -> Path:
    path.write_bytes(
        save({"weights": np.asarray(weights)}, metadata={"outflank-player-1": json.dumps(metadata)})
    )
    return path


@pytest.mark.parametrize(
    ("weights", "metadata", "message"),
    [
        (np.zeros(64), {}, "metadata is wrong at architecture"),
        (np.zeros(64), {"architecture": {"kind": "spell"}}, "metadata is wrong at architecture"),
        (np.zeros(63), {"architecture": {"kind": "piece-counter"}}, "has 64 weights"),
        (np.full(64, np.nan), {"architecture": {"kind": "piece-counter"}}, "not a finite number"),
        (np.zeros(64, dtype=np.int64), {"architecture": {"kind": "piece-counter"}}, "not a list of 32-bit"),
        (np.zeros((8, 8)), {"architecture": {"kind": "piece-counter"}}, "not a list of 32-bit"),
        (np.zeros(3), {"architecture": {"kind": "n-tuple-network", "tables": [[[64]]]}}, "outside 0..63"),
        (np.zeros(64), {"architecture": {"kind": "piece-counter"}, "view": "sideways"}, "wrong at view"),
        (np.zeros(64), {"architecture": {"kind": "mlp", "hidden": -1}}, "hidden nodes"),
    ],
)
def test_wrong_metadata(weights: object, metadata: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(PlayerFileError, match=message):
        load_player(_safetensors(tmp_path / "p.safetensors", weights, **metadata))


@pytest.mark.parametrize("name", ["weights", "__metadata__", "dtype"])
def test_a_name_twice_in_the_header_is_refused(name: str, tmp_path: Path) -> None:
    path = _safetensors(tmp_path / "p.safetensors", np.zeros(64), architecture={"kind": "piece-counter"})
    content = path.read_bytes()
    header = content[8 : 8 + int.from_bytes(content[:8], "little")]
    value = {"weights": b"{}", "__metadata__": b"{}", "dtype": b'"F64"'}[name]
    twice = header.replace(b'"' + name.encode(), b'"' + name.encode() + b'":' + value + b',"' + name.encode())
    path.write_bytes(len(twice).to_bytes(8, "little") + twice + content[8 + len(header) :])
    with pytest.raises(PlayerFileError, match=f"its header names '{name}' twice"):
        load_player(path)


def test_a_key_twice_in_the_metadata_is_refused(tmp_path: Path) -> None:
    metadata = '{"architecture": {"kind": "piece-counter"}, "view": "inversion", "view": "negation"}'
    path = tmp_path / "p.safetensors"
    path.write_bytes(save({"weights": np.zeros(64)}, metadata={"outflank-player-1": metadata}))
    with pytest.raises(PlayerFileError, match="its header names 'view' twice"):
        load_player(path)


@pytest.mark.parametrize(("dtype", "size"), [("BF16", 2), ("F16", 2), ("F8_E4M3", 1), ("F8_E5M2", 1)])
def test_other_kinds_of_floats_are_named(dtype: str, size: int, tmp_path: Path) -> None:
    tensor = {"dtype": dtype, "shape": [64], "data_offsets": [0, 64 * size]}
    header = json.dumps({"weights": tensor, "__metadata__": {"outflank-player-1": "{}"}}).encode()
    path = tmp_path / "p.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(64 * size))
    with pytest.raises(PlayerFileError, match=f"its weights are {dtype} of shape"):
        load_player(path)


def test_foreign_safetensors(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(save({"layer": np.zeros(3)}))
    with pytest.raises(PlayerFileError, match="not an outflank-player-1 file"):
        load_player(path)


def test_a_gigabyte_is_refused_without_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "huge.player"
    with path.open("wb") as file:
        os.truncate(file.fileno(), 1 << 30)
    with pytest.raises(PlayerFileError, match="1024 MB; a player file has at most 256"):
        load_player(path)


def test_the_text_format_refuses_what_it_cannot_hold(tmp_path: Path) -> None:
    for evaluator in (SpatialMlp(), NTupleNetwork.of_shape("all-1", stages=2)):
        with pytest.raises(ValueError, match="safetensors"):
            save_player(StoredPlayer(evaluator), tmp_path / "p.player")
    assert not list(tmp_path.iterdir())


def test_a_symmetric_piece_counter_is_written_with_64_weights(tmp_path: Path) -> None:
    ten = PieceCounter.symmetric(np.arange(10))
    save_player(StoredPlayer(ten), tmp_path / "wpc.player")
    assert (load_player(tmp_path / "wpc.player").evaluator.weights == ten.square_weights).all()
