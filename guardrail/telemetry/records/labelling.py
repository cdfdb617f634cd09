"""What people say of records: a verdict on the answer or on one of its findings, a kind of error, a note."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace

from guardrail.errors import UsageError, did_you_mean
from guardrail.telemetry.records.database import storable
from guardrail.telemetry.records.questions import find
from guardrail.telemetry.records.record import FAULTY, KINDS, StoredRecord
from guardrail.types import ErrorType, Verdict


def write_label(
    connection: sqlite3.Connection,
    ident: str,
    label: str | None,
    now: float,
    *,
    finding: str | None,
    error_type: str | None,
    note: str | None,
    by: str | None,
) -> StoredRecord:
    """Set or, with None, take back a label; the record as it is then. Arguments and errors as ``RecordStore.label``."""
    names = [kind.value for kind in KINDS]
    if label is not None and label not in names:
        raise UsageError(f"unknown label {str(label)!r}. {did_you_mean(str(label), names)}")
    errors = [kind.value for kind in ErrorType]
    if error_type is not None and error_type not in errors:
        raise UsageError(f"unknown error type {str(error_type)!r}. {did_you_mean(str(error_type), errors)}")
    if error_type is not None and label not in FAULTY:
        raise UsageError(f"an error type belongs to a label that is {' or '.join(FAULTY)}, not to {label or 'none'}.")
    found = find(connection, ident)
    if found is None:
        raise UsageError(f"there is no record {ident!r}. `guardrail monitor worst` prints the ids.")
    answer, findings = found.label, dict(found.finding_labels)
    if finding is None:
        answer = None if label is None else Verdict(label)
    else:
        known = [f.id for f in found.findings]
        if finding not in known:
            raise UsageError(f"record {found.id} has no finding {finding!r}. {did_you_mean(finding, known)}")
        if label is None:
            findings.pop(finding, None)
        else:
            findings[finding] = Verdict(label)
    kind = error_type or (None if found.error_type is None else found.error_type.value)
    if replace(found, label=answer, finding_labels=findings).human_label not in FAULTY:
        kind = None
    connection.execute(
        "UPDATE records SET label = ?, label_error_type = ?, finding_labels = ?, note = ?, labelled_at = ?, "
        "labelled_by = ? WHERE id = ?",
        (
            None if answer is None else answer.value,
            kind,
            json.dumps(findings, ensure_ascii=True) if findings else None,
            storable(note) if note is not None else found.note,
            now,
            storable(by) if by is not None else found.labelled_by,
            found.id,
        ),
    )
    changed = find(connection, found.id)
    return found if changed is None else changed
