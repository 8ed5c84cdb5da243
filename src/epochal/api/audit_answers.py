"""Answers to questions of the day, for people and as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from epochal.exit_codes import ExitCode
from epochal.kafka.audit.decided import Answered
from epochal.kafka.audit.said import some_of
from epochal.kafka.audit.today import DayAnswer, Verdict
from epochal.kafka.audit.topic_class import Kind
from epochal.kafka.evidence.place import escaped
from epochal.report import kafka_documents as documents
from epochal.report.page import Page, Style

DAY_CODES: Mapping[Verdict, ExitCode] = {
    "no": ExitCode.VIOLATED,
    "writes stop": ExitCode.DRIFTED,
    "not known": ExitCode.INCONCLUSIVE,
    "yes": ExitCode.HOLDS,
}
STYLES: Mapping[Verdict, Style] = {"no": "bad", "writes stop": "warn", "not known": "warn", "yes": "good"}
WORDS: Mapping[Verdict, str] = {"no": "NO", "writes stop": "writes stop", "not known": "not known", "yes": "yes"}
BESIDES: Mapping[Verdict, str] = {"yes": "besides"}
"""How an effect is introduced below a worse answer."""

MOST_NAMED = 6
OLD_AT_ONCE = "As the files say: ask again right before you act."


def render_answers(page: Page, answers: Sequence[DayAnswer]) -> None:
    """Print each question with its answer, and what happens to which partitions."""
    page.title("Questions of the day")
    for one in answers:
        page.line(f"{escaped(one.question)} {WORDS[one.verdict]}", STYLES[one.verdict], indent=2)
        for effect in one.effects:
            named = f": {escaped(some_of(effect.partitions, MOST_NAMED))}" if effect.partitions else ""
            word = "" if effect.verdict == one.verdict else f"{BESIDES.get(effect.verdict, WORDS[effect.verdict])}: "
            page.line(f"{word}{effect.why}{_lengths(effect.runs)}{named}", indent=6)
    page.line(OLD_AT_ONCE, "faint", indent=2)


def _lengths(runs: Sequence[tuple[Kind, Answered]]) -> str:
    lengths = sorted({one.worst.length for _, one in runs if one.worst.length})
    return f" ({', '.join(map(str, lengths))} states)" if lengths else ""


def answers_of(answers: Sequence[DayAnswer]) -> list[documents.AuditAnswer]:
    """The answers as data."""
    return [
        {
            "question": one.question,
            "verdict": one.verdict,
            "effects": [
                {
                    "verdict": effect.verdict,
                    "why": effect.why,
                    "partitions": list(effect.partitions),
                    "runs": list(
                        dict.fromkeys(f"{run.worst.reference} --fault {run.fault.id}" for _, run in effect.runs)
                    ),
                }
                for effect in one.effects
            ],
        }
        for one in answers
    ]
