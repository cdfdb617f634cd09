"""Logged answers for the benchmark of the audit, sized like production and made from the texts of training/written.

3 to 5 passages of 100 to 200 words, answers of 3 to 8 sentences copied from them; in the wrong ones the injectors of
``guardrail stress`` have changed one or two. What makes answers wrong is planted: a release, an index, a document.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from guardrail.evaluation.stress import wrong_versions

TEXTS = Path(__file__).parents[2] / "training" / "written"
BEGIN = 1_750_000_000
DAYS = 90
BAD_RELEASE, BAD_INDEX = "2026.3", "eu-2"
RELEASES, INDEXES, MODELS = ("2026.1", "2026.2", BAD_RELEASE), ("eu-1", BAD_INDEX, "us-1", "us-2"), ("a", "b")
USUAL, MORE = 0.04, 0.2
"""The share of wrong answers, and how much a planted cause adds."""

FILES, GROUP, IN_LINES = 10, 10_000, 0.1
BAD_ROWS = 0.01
CORRUPT = 4_000
"""Rows of the file that is damaged in the middle."""


@dataclass(frozen=True)
class Texts:
    """Different (question, answer, passages), and which of them are wrong."""

    table: pa.Table
    wrong: np.ndarray
    bad_document: str


@dataclass(frozen=True)
class Logs:
    """What was written: answers a0 to ``good`` - 1, ``bad`` rows, and so many rows in the damaged file."""

    folder: Path
    good: int
    bad: int
    damaged: int
    bad_document: str


def documents(rng):
    """Chunks by kind of text: (document, title, sentences, wrong versions by sentence), English ones."""
    kinds = {}
    for path in sorted(TEXTS.glob("*.jsonl")):
        chunks = []
        for line in path.read_text(encoding="utf-8").splitlines()[:40]:
            row = json.loads(line)
            sentences, words = [], 0
            for sentence in row["sentences"]:
                sentences.append(sentence)
                words += len(sentence.split())
                if words >= 140:
                    break
            if words < 100:
                continue
            wrong = {}
            for sentence in sentences:
                found = [text for _, text in wrong_versions(sentence, rng, others=sentences)]
                if found:
                    wrong[sentence] = found
            chunks.append((row["id"], row["title"], row.get("question", "What is known?"), sentences, wrong))
        if len(chunks) >= 8:
            kinds[path.stem] = chunks
    return kinds


def texts(count, share, seed=1):
    """So many different answers with their passages, a share of them wrong."""
    rng = Random(seed)
    kinds = documents(rng)
    every = [chunk for chunks in kinds.values() for chunk in chunks]
    bad_document = rng.choice([chunk for chunk in every if len(chunk[4]) >= 5])[1]
    rows, wrong, seen = [], [], set()
    while len(rows) < count:
        chunks = rng.choice(list(kinds.values()))
        given = rng.sample(chunks, rng.randint(3, 5))
        told = given[: rng.randint(1, 3)]
        plain = [(sentence, chunk) for chunk in told for sentence in chunk[3]]
        said = sorted(rng.sample(range(len(plain)), min(len(plain), rng.randint(3, 8))))
        sentences = [plain[n][0] for n in said]
        changeable = [k for k, n in enumerate(said) if plain[n][0] in plain[n][1][4]]
        from_bad = any(chunk[1] == bad_document for chunk in given)
        is_wrong = bool(changeable) and rng.random() < (0.7 if from_bad else share)
        for k in rng.sample(changeable, min(len(changeable), rng.randint(1, 2))) if is_wrong else ():
            sentences[k] = rng.choice(plain[said[k]][1][4][sentences[k]])
        answer = " ".join(sentences)
        if answer in seen:
            continue
        seen.add(answer)
        rng.shuffle(given)
        passages = [{"id": c[0], "title": c[1], "text": " ".join(c[3])} for c in given]
        rows.append({"question": told[0][2], "answer": answer, "passages": passages})
        # 2: answers of the bad document are drawn as they are.
        wrong.append(2 if is_wrong and from_bad else 1 if is_wrong else 0)
    return Texts(pa.Table.from_pylist(rows), np.array(wrong), bad_document)


def write_logs(folder, count, distinct, seed=1):
    """``count`` answers as Parquet and JSON lines, in order of time, a damaged Parquet file and 1 % bad rows."""
    folder.mkdir(parents=True)
    draw = np.random.default_rng(seed)
    release = draw.integers(0, len(RELEASES), count)
    index = draw.integers(0, len(INDEXES), count)
    chance = USUAL + MORE * (release == RELEASES.index(BAD_RELEASE)) + MORE * (index == INDEXES.index(BAD_INDEX))
    made = texts(min(count, distinct), chance.mean() if count <= distinct else 0.33, seed)
    wrong_ones, right_ones = np.flatnonzero(made.wrong == 1), np.flatnonzero(made.wrong != 1)
    if count <= distinct:  # every text once, labels fitting to it as well as they can
        chosen = _fitted(made.wrong == 1, chance, draw)
    else:
        is_wrong = draw.random(count) < chance
        chosen = np.where(is_wrong, draw.choice(wrong_ones, count), draw.choice(right_ones, count))
    ids = np.char.add("a", np.arange(count).astype(str))
    at = BEGIN + np.sort(draw.integers(0, DAYS * 86_400, count))
    columns = {
        "release": np.array(RELEASES)[release],
        "index": np.array(INDEXES)[index],
        "model": np.array(MODELS)[draw.integers(0, 2, count)],
    }

    def part(first, last):
        table = made.table.take(chosen[first:last])
        table = table.append_column("id", pa.array(ids[first:last])).append_column("at", pa.array(at[first:last]))
        for name, values in columns.items():
            table = table.append_column(name, pa.array(values[first:last]))
        return table

    in_lines, damaged = int(count * IN_LINES), min(CORRUPT, count // 10)
    edges = np.linspace(0, count - in_lines - damaged, FILES + 1).astype(int)
    for n, (first, last) in enumerate(pairwise(edges)):
        parquet.write_table(part(first, last), folder / f"log-{n:02}.parquet", row_group_size=GROUP, compression="zstd")
    end = edges[-1]
    bad = _write_lines(folder / "log-10.jsonl", part(end, end + in_lines), int(count * BAD_ROWS), Random(seed))
    _write_damaged(folder / "log-11.parquet", part(end + in_lines, count), damaged)
    (folder / "log-12.parquet").write_bytes((folder / "log-00.parquet").read_bytes()[:5000])  # half a file
    return Logs(folder, count - damaged, bad, damaged, made.bad_document)


def _fitted(is_wrong, chance, draw):
    """An order of all texts in which wrong ones stand where the chance of it is high."""
    rank = np.argsort(draw.random(len(chance)) / chance)
    chosen = np.empty(len(chance), int)
    chosen[rank] = np.argsort(~is_wrong, kind="stable")
    return chosen


def _write_lines(path, table, bad, rng):
    """JSON lines, between them ``bad`` rows of five kinds; the number of these."""
    rows, kinds = table.to_pylist(), 5
    after = sorted(rng.randrange(1, len(rows)) for _ in range(bad))
    written = 0
    with path.open("w", encoding="utf-8") as handle:
        for n, row in enumerate(rows):
            handle.write(json.dumps({**row, "at": float(row["at"])}) + "\n")
            while written < bad and after[written] == n:
                handle.write(_bad(row, written % kinds) + "\n")
                written += 1
        for number in range(written, bad):
            handle.write(_bad(rows[0], number % kinds) + "\n")
    return bad


def _bad(row, kind):
    if kind == 0:
        return json.dumps(row)[:-40]
    if kind == 1:
        return json.dumps({"id": f"{row['id']}-x", "passages": row["passages"]})
    if kind == 2:
        return json.dumps({**row, "id": f"{row['id']}-y", "passages": 17})
    if kind == 3:
        return json.dumps({**row, "id": f"{row['id']}-z", "at": "yesterday"})
    return json.dumps({**row, "answer": "Another answer under the same id."})


def _write_damaged(path, table, rows):
    """Parquet of four row groups, with nonsense in the middle of the third."""
    parquet.write_table(table, path, row_group_size=max(1, rows // 4), compression="zstd")
    group = parquet.ParquetFile(path).metadata.row_group(2)
    answers = next(group.column(n) for n in range(group.num_columns) if group.column(n).path_in_schema == "answer")
    data = bytearray(path.read_bytes())
    middle = answers.data_page_offset + answers.total_compressed_size // 2
    data[middle : middle + 200] = bytes(200)
    path.write_bytes(bytes(data))
