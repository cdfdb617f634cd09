"""Policies: which finding leads to which action. A policy is a value; deciding is a pure function.

A policy file (YAML or JSON) has the same fields, and ``preset``; docs/policies.md explains them.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from guardrail.errors import ConfigurationError, did_you_mean
from guardrail.policy.calibration import Calibration, engine_identity, warn_of_another
from guardrail.policy.explain import Explanation, Fit, explain, severest
from guardrail.policy.keys import CONFLICT, KEYS, LOGIC, NEW_ANSWER, PRESETS, ActionLike
from guardrail.policy.watch import PolicyWatch
from guardrail.types import LOGIC_ERRORS, Action, Decision, Finding, Report, Verdict

_log = logging.getLogger(__name__)
_LANGUAGE = re.compile(r"[a-z]{2,3}")

_SUPPORTED_ALLOWS = {Verdict.SUPPORTED.value: Action.ALLOW, Verdict.ABSTAINED.value: Action.ALLOW}


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What to do with an answer.

    Attributes:
        name: For reports and traces.
        threshold: A segment counts as supported from this score on (0..1).
        actions: Action per key (see KEYS). All keys that fit a finding are looked up and the severest action wins, so
            the order of the keys cannot matter. An error type that is not named follows its verdict.
        score_below: Action per bound (0..1) for findings that were judged with a score below it. UNVERIFIED ones have
            no score; their key is ``unverified``. Of these and of ``actions`` the severest wins.
        fail: What happens to what is not verified, where ``actions`` has no ``unverified``: ``closed`` blocks,
            ``open`` delivers with a flag.
        deadline: Seconds for one check; what is not judged by then is UNVERIFIED. None = no limit.
        max_attempts: Answers to try, the first included, where the action is ``regenerate`` and a generator is there.
        on_exhausted: Action where a rewrite or regeneration was asked for and none can be had: one for all findings,
            or one per key (of all keys that fit a finding the severest; ``block`` where none is named).
        style: Notes as ``markdown`` footnotes or ``plain`` text.
        messages: Texts for blocked answers by language (ISO 639 code, such as ``en``); ``en`` where a reader's
            language has none.
        calibration: Where the threshold comes from, if ``guardrail calibrate`` chose it.
    """

    name: str = "custom"
    threshold: float = 0.5
    actions: Mapping[str, Action] = field(default_factory=dict)
    score_below: Mapping[float, Action] = field(default_factory=dict)
    fail: Literal["closed", "open"] = "closed"
    deadline: float | None = 10.0
    max_attempts: int = 2
    on_exhausted: Action | Mapping[str, Action] = Action.BLOCK
    style: Literal["markdown", "plain"] = "markdown"
    messages: Mapping[str, str] = field(default_factory=dict)
    calibration: Calibration | None = None

    if TYPE_CHECKING:  # what is given may name actions; what is read are actions

        def __init__(
            self,
            *,
            name: str = ...,
            threshold: float = ...,
            actions: Mapping[str, ActionLike] = ...,
            score_below: Mapping[float, ActionLike] = ...,
            fail: Literal["closed", "open"] = ...,
            deadline: float | None = ...,
            max_attempts: int = ...,
            on_exhausted: ActionLike | Mapping[str, ActionLike] = ...,
            style: Literal["markdown", "plain"] = ...,
            messages: Mapping[str, str] = ...,
            calibration: Calibration | None = ...,
        ) -> None: ...

    def __new__(cls, *_: object, **given: object) -> Self:
        """A policy; a field that there is not is named with the nearest one, and not left to a TypeError."""
        known = [each.name for each in fields(cls)]
        for name in given:
            if name not in known:
                raise ConfigurationError(f"Policy has no field {name!r}. {did_you_mean(name, known)}")
        return object.__new__(cls)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise self._wrong(f"name must be a str, got {self.name!r}.")
        for name in ("actions", "score_below", "messages"):
            if not isinstance(getattr(self, name), Mapping):
                raise self._wrong(f"{name} must be a mapping, got {type(getattr(self, name)).__name__}.")
        for key, message in self.messages.items():
            if not isinstance(key, str) or not _LANGUAGE.fullmatch(key):
                raise self._wrong(f"unknown language {key!r} in messages. Give an ISO 639 code: en, zh, de, ...")
            if not isinstance(message, str):
                raise self._wrong(f"messages: the text for {key!r} must be a str, got {message!r:.60}.")
        for bound in self.score_below:
            if not _is_number(bound) or not 0.0 <= bound <= 1.0:
                raise self._wrong(f"a bound of score_below must be within 0..1, got {bound!r}.")
        exhausted = self.on_exhausted
        read = {
            "actions": self._by_key("actions"),
            "score_below": {
                float(bound): read_action(self.score_below[bound], self.name) for bound in sorted(self.score_below)
            },
            "on_exhausted": self._by_key("on_exhausted")
            if isinstance(exhausted, Mapping)
            else read_action(exhausted, self.name),
        }
        for name, value in read.items():
            object.__setattr__(self, name, value)
        self._check_values()

    def _by_key(self, name: str) -> dict[str, Action]:
        """The actions of a field by key, which must be one of KEYS."""
        given = getattr(self, name)
        for key in given:
            if key not in KEYS:
                raise self._wrong(f"unknown key {key!r} in {name}. {did_you_mean(str(key), KEYS)}")
        return {str(key): read_action(action, self.name) for key, action in given.items()}

    def _check_values(self) -> None:
        exhausted = self.on_exhausted
        for action in exhausted.values() if isinstance(exhausted, Mapping) else (exhausted,):
            if action in NEW_ANSWER:
                raise self._wrong(f"on_exhausted cannot be {action.value!r} again.")
        for name, allowed in (("fail", ("closed", "open")), ("style", ("markdown", "plain"))):
            if getattr(self, name) not in allowed:
                raise self._wrong(f"{name} must be one of {allowed}, got {getattr(self, name)!r}.")
        if not _is_number(self.threshold) or not 0.0 <= self.threshold <= 1.0:
            raise self._wrong(f"threshold must be within 0..1, got {self.threshold!r}.")
        if self.calibration is not None and not isinstance(self.calibration, Calibration):
            raise self._wrong(f"calibration must be a Calibration, got {type(self.calibration).__name__}.")
        if self.calibration is not None and self.calibration.threshold != self.threshold:
            raise self._wrong(
                f"threshold is {self.threshold!r}, but its calibration is for {self.calibration.threshold!r}. "
                "Calibrate again, or remove the calibration and its guarantee."
            )
        if self.deadline is not None and not (_is_number(self.deadline) and self.deadline > 0):
            raise self._wrong(f"deadline must be positive seconds or null, got {self.deadline!r}.")
        if not isinstance(self.max_attempts, int) or isinstance(self.max_attempts, bool) or self.max_attempts < 1:
            raise self._wrong(f"max_attempts must be a whole number from 1 on, got {self.max_attempts!r}.")

    def _wrong(self, message: str) -> ConfigurationError:
        return ConfigurationError(f"policy {self.name!r}: {message}")

    @classmethod
    def monitor(cls) -> Policy:
        """Deliver every answer unchanged; flag what is wrong."""
        flagged = dict.fromkeys(KEYS, Action.FLAG) | _SUPPORTED_ALLOWS
        return cls(name="monitor", actions=flagged, fail="open")

    @classmethod
    def annotate(cls) -> Policy:
        """Deliver every answer with notes at the segments that the passages do not support."""
        noted = dict.fromkeys(KEYS, Action.ANNOTATE) | _SUPPORTED_ALLOWS
        return cls(name="annotate", actions=noted, fail="open")

    @classmethod
    def repair(cls) -> Policy:
        """Ask for a new answer where a generator is there; else take out what the passages do not support."""
        actions = {
            Verdict.CONTRADICTED.value: Action.REGENERATE,
            Verdict.UNSUPPORTED.value: Action.REGENERATE,
            Verdict.UNVERIFIED.value: Action.REDACT,
            CONFLICT: Action.ANNOTATE,
        }
        return cls(name="repair", actions=actions | _SUPPORTED_ALLOWS, on_exhausted=Action.REDACT)

    @classmethod
    def strict(cls) -> Policy:
        """Block an answer with anything contradicted, unsupported or unverified."""
        actions = {
            Verdict.CONTRADICTED.value: Action.BLOCK,
            Verdict.UNSUPPORTED.value: Action.BLOCK,
            Verdict.UNVERIFIED.value: Action.BLOCK,
            CONFLICT: Action.ANNOTATE,
        }
        return cls(name="strict", actions=actions | _SUPPORTED_ALLOWS)

    @classmethod
    def load(cls, source: str | Path, *, name: str | None = None) -> Policy:
        """A preset by name (monitor, annotate, repair, strict) or a policy from a YAML or JSON file.

        Args:
            source: The preset or file.
            name: Which one, of a file that holds several under ``policies``.

        Raises:
            ConfigurationError: no such preset, file or name, or the file says something unknown; the message names it.
        """
        if str(source) in PRESETS:
            if name is not None:
                raise ConfigurationError(f"preset {str(source)!r} is one policy: load it without `name`.")
            return cls._preset(str(source))
        return cls.read(_existing(source), name)

    @classmethod
    def load_all(cls, path: str | Path) -> dict[str, Policy]:
        """The policies of a file by name: those under ``policies``, or the only one.

        Raises:
            ConfigurationError: as ``load``.
        """
        from guardrail.policy.file import names_in

        file = _existing(path)
        read = [(name, cls.read(file, name)) for name in names_in(file)]
        return {name or policy.name: policy for name, policy in read}

    @classmethod
    def read(cls, path: Path, name: str | None = None) -> Policy:
        """The policy that a YAML or JSON file says, or the one of that name in it.

        Raises:
            ConfigurationError: it cannot be read, or says something unknown; the message names it.
        """
        given = cls.fields_in(path, name)
        preset, own = given.pop("preset", None), given.pop("name", None)
        try:
            start = cls() if preset is None else cls._preset(preset)
            for key in ("actions", "messages"):
                if isinstance(given.get(key), Mapping):
                    given[key] = {**getattr(start, key), **given[key]}
            return start.with_(name=own or name or path.stem, **given)
        except ConfigurationError as error:
            raise ConfigurationError(f"policy file {str(path)!r}: {error}") from None

    @classmethod
    def fields_in(cls, path: Path, name: str | None = None) -> dict[str, Any]:
        """The fields that a policy file sets: ``preset`` and those of Policy; ``read`` checks their values.

        Raises:
            ConfigurationError: it cannot be read, holds no policy of that name, or names an unknown field.
        """
        from guardrail.policy.file import read_policy_file  # pydantic and yaml only where a file is read

        return read_policy_file(path, ("preset", *(each.name for each in fields(cls))), name)

    @classmethod
    def watch(cls, path: str | Path, *, name: str | None = None, every: float = 1.0) -> PolicyWatch[Policy]:
        """The policy of a file, read again when the file changes; ``Guard(policy=...)`` takes it like a policy.

        Args:
            path: The YAML or JSON file.
            name: Which one, of a file that holds several.
            every: Seconds between two looks at the file, at least.

        Raises:
            ConfigurationError: as ``load``, now. What becomes wrong later is logged, and the last good policy stays.
        """
        return PolicyWatch(path, partial(cls.read, name=name), every=every)

    @classmethod
    def _preset(cls, name: object) -> Policy:
        if name not in PRESETS:
            raise ConfigurationError(f"unknown preset {name!r}. {did_you_mean(str(name), PRESETS)}")
        return {"monitor": cls.monitor, "annotate": cls.annotate, "repair": cls.repair, "strict": cls.strict}[
            str(name)
        ]()

    def with_(self, **changes: Any) -> Policy:
        """A copy with other values."""
        return replace(self, **changes)

    def current(self) -> Policy:
        """Itself; of a PolicyWatch, the policy that the file says now."""
        return self

    def warn_if_calibrated_for_another(self, engine: object) -> None:
        """Log a warning where the policy was calibrated for another engine, or gives this one too little time."""
        if self.calibration is not None:
            warn_of_another(self.calibration, engine_identity(engine), self.name)
        needs = getattr(engine, "expected_seconds", None)
        if isinstance(needs, (int, float)) and self.deadline is not None and self.deadline < needs:
            _log.warning(
                "policy %r gives a check %g s, but engine %r may need %g s; what is late is unverified. "
                "Write policy.with_(deadline=%g) or more.",
                self.name, self.deadline, getattr(engine, "name", engine), needs, needs,
            )  # fmt: skip

    def action_for(self, finding: Finding) -> tuple[Action, str]:
        """The severest action whose key fits the finding, and that key."""
        return severest(self._fits(finding))

    def exhausted_action(self, about: Finding | Report) -> Action:
        """What is done where a finding (or an answer without any) asks for a new answer and none can be had."""
        if isinstance(self.on_exhausted, Action):
            return self.on_exhausted
        fits = [(self.on_exhausted[key], key) for key in _keys_of(about) if key in self.on_exhausted]
        return severest(fits)[0] if fits else Action.BLOCK

    def decide(self, report: Report) -> Decision:
        """The severest action over all findings; without findings the verdict of the answer decides."""
        ruled = [(finding, *severest(fits)) for finding, fits in self._rules(report)]
        action, rule = severest([(action, rule) for _, action, rule in ruled])
        return Decision(
            action=action,
            rule=rule,
            policy=self.name,
            finding_actions=tuple((finding.id, action) for finding, action, _ in ruled if finding is not None),
        )

    def explain(self, report: Report) -> tuple[Explanation, ...]:
        """Why ``decide`` decides so: one explanation per finding in order, or one of the answer that has none.

        They hold no text of the answer or the passages, so they may be logged.
        """
        return tuple(explain(report, finding, fits, self.fail) for finding, fits in self._rules(report))

    def rule_for(self, verdict: Verdict) -> Fit:
        """What the verdict alone asks for, and the rule: its key, or its default where ``actions`` does not name it."""
        named = self.actions.get(verdict.value)
        return (self._default(verdict), f"{verdict.value} (default)") if named is None else (named, verdict.value)

    def _rules(self, report: Report) -> list[tuple[Finding | None, list[Fit]]]:
        """All that fits, for each finding, or for the answer as a whole (None): decisions and explanations alike."""
        if report.findings:
            return [(finding, self._fits(finding)) for finding in report.findings]
        return [(None, [self.rule_for(report.verdict)])]

    def _fits(self, finding: Finding) -> list[Fit]:
        fits = [(self.actions[key], key) for key in _keys_of(finding)[1:] if key in self.actions]
        if finding.verdict is not Verdict.UNVERIFIED:  # 0.0 there means that there is no score
            fits += [(action, f"score_below {bound:g}") for bound, action in self.score_below.items()
                     if finding.score < bound]  # fmt: skip
        own = self.rule_for(finding.verdict)
        # Of rules that are equally severe the verdict's own names the decision; its default comes last.
        return [own, *fits] if own[1] in self.actions else [*fits, own]

    def _default(self, verdict: Verdict) -> Action:
        if verdict in (Verdict.SUPPORTED, Verdict.ABSTAINED):
            return Action.ALLOW
        if verdict is Verdict.UNVERIFIED:
            return Action.BLOCK if self.fail == "closed" else Action.FLAG
        return Action.FLAG


def _keys_of(about: Finding | Report) -> list[str]:
    """The keys that fit: the verdict's first, then those of the error and of passages that disagree."""
    keys = [about.verdict.value]
    if isinstance(about, Finding):
        if about.error_type is not None and about.verdict is not Verdict.SUPPORTED:
            keys.append(about.error_type.value)
            if about.error_type in LOGIC_ERRORS:
                keys.append(LOGIC)
        if about.conflict:
            keys.append(CONFLICT)
    return keys


def _existing(source: str | Path) -> Path:
    """The path of a policy file that is there.

    Raises:
        ConfigurationError: there is none; the message offers the nearest preset.
    """
    path = Path(source)
    if not path.exists():
        hint = did_you_mean(str(source), PRESETS)
        raise ConfigurationError(f"no policy file or preset {str(source)!r}. {hint}")
    return path


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def read_action(value: object, policy: str) -> Action:
    """The action of that name; never a fallback."""
    try:
        return Action(str(value))
    except ValueError:
        names = [a.value for a in Action]
        raise ConfigurationError(
            f"policy {policy!r}: unknown action {value!r}. {did_you_mean(str(value), names)}"
        ) from None
