"""The worst answers with their evidence, on this machine: one SQLite file that several processes write and read.

from guardrail import Guard
from guardrail.record_store import RecordStore
from guardrail.telemetry import Telemetry
guard = Guard(telemetry=Telemetry(recorder=RecordStore("guardrail.db")))
RecordStore("guardrail.db").worst(10)
"""

from guardrail.record_store.rates import LabelRate, Rates, VerdictRate
from guardrail.record_store.record import StoredRecord
from guardrail.record_store.store import RecordStore

__all__ = ["LabelRate", "Rates", "RecordStore", "StoredRecord", "VerdictRate"]
