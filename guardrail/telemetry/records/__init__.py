"""The worst answers with their evidence, on this machine: one SQLite file that several processes write and read.

from guardrail import Guard
from guardrail.telemetry.records import RecordStore
from guardrail.telemetry import Telemetry
guard = Guard(telemetry=Telemetry(recorder=RecordStore("guardrail.db")))
RecordStore("guardrail.db").worst(10)
"""

from guardrail.telemetry.records.rates import LabelRate, Rates, VerdictRate
from guardrail.telemetry.records.record import StoredRecord
from guardrail.telemetry.records.store import RecordStore

__all__ = ["LabelRate", "Rates", "RecordStore", "StoredRecord", "VerdictRate"]
