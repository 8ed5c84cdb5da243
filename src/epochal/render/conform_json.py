"""What the evidence says as one JSON object."""

from __future__ import annotations

from epochal.checker.version import TOOL, tool_version
from epochal.conformance.brokers import BrokersVerdict
from epochal.conformance.controller import ControllerVerdict, Refused
from epochal.conformance.image import Partition
from epochal.conformance.judged import Judged
from epochal.conformance.lost_records import ClientsVerdict
from epochal.conformance.noticed import Noticed, Weight
from epochal.conformance.whole_run.judged_runs import RunsVerdict
from epochal.conformance.whole_run.model import Argument
from epochal.evidence.metadata_log import MetadataLog
from epochal.render.documents import conform

WEIGHTS: dict[Weight, conform.WeightName] = {
    Weight.LOST: "lost",
    Weight.GONE: "cut off",
    Weight.ELECTED: "elected",
    Weight.OPENED: "opened",
    Weight.REFUSED: "writes refused",
}


def conform_document(found: Judged, exit_code: int) -> conform.Conform:
    """The document."""
    log, verdict = found.evidence.metadata, found.controller
    return {
        "tool": TOOL,
        "version": tool_version(),
        "evidence": found.name,
        "kafka": found.version,
        "reference": found.reference,
        "read": dict(sorted(found.evidence.read.items())),
        "unread": list(found.evidence.unread),
        "damaged": list(found.evidence.damaged),
        "requests": sum(len(log.requests) for log in found.evidence.logs),
        "unplaced": list(found.evidence.unplaced),
        "zookeeper": str(found.evidence.zookeeper) if found.evidence.is_of_zookeeper else None,
        "controller": None if log is None or verdict is None else _controller(log, verdict),
        "brokers": None if found.brokers is None else _brokers(found.brokers),
        "runs": None if found.runs is None else _runs(found.runs),
        "clients": None if found.clients is None else _clients(found.clients),
        "noticed": [_noticed(one) for one in found.noticed],
        "cut": found.cut,
        "exit_code": exit_code,
    }


def _controller(log: MetadataLog, verdict: ControllerVerdict) -> conform.ControllerJudged:
    return {
        "verdict": "refused" if verdict.refused else "accepted" if verdict.judged else "nothing to judge",
        "first_offset": log.records[0].offset,
        "last_offset": log.records[-1].offset,
        "explained": dict(sorted(verdict.explained.items())),
        "refused": [_refused(one) for one in verdict.refused],
        "left_out": dict(sorted(verdict.left_out.items())),
        "assumed": dict(verdict.assumed),
    }


def _runs(verdict: RunsVerdict) -> conform.RunsFound:
    return {
        "explained": [
            {
                "partition": one.partition,
                "lines": one.evidence.events,
                "steps": [[step.action, *map(_argument, step.arguments)] for step in one.steps],
                "brokers": list(one.evidence.decided.brokers),
                "offsets": list(one.evidence.offsets),
            }
            for one in verdict.whole
        ],
        "refused": [
            {
                "partition": one.partition,
                "lines": one.evidence.events,
                "explained": one.explained,
                "stopped": [
                    {
                        "file": at.place.file,
                        "line": at.place.line,
                        "broker": at.of,
                        "found": at.found,
                        "expected": at.expected,
                    }
                    for at in one.stopped
                ],
            }
            for one in verdict.refused
        ],
        "undecided": [{"partition": one.partition, "why": one.given_up} for one in verdict.undecided],
        "left_out": dict(sorted(verdict.left_out.items())),
    }


def _argument(one: Argument) -> int | list[int] | None:
    return sorted(one) if isinstance(one, frozenset) else one


def _clients(verdict: ClientsVerdict) -> conform.ClientsTold:
    return {"kept": verdict.kept, "lost": len(verdict.lost), "left_out": dict(sorted(verdict.left_out.items()))}


def _noticed(one: Noticed) -> conform.Noticed:
    return {
        "file": one.place.file,
        "line": one.place.line,
        "offset": one.offset,
        "partition": one.partition,
        "about": one.about,
        "says": one.says,
        "weight": WEIGHTS[one.weight],
        "event": None if one.event is None else str(one.event),
    }


def _refused(one: Refused) -> conform.RefusedChange:
    return {
        "file": one.record.place.file,
        "line": one.record.place.line,
        "offset": one.record.offset,
        "record": one.record.kind,
        "partition": one.partition,
        "missing": one.missing,
        "before": _partition(one.before),
        "found": _partition(one.found),
        "expected": [{"step": step, "partition": _partition(after)} for step, after in one.expected],
    }


def _partition(one: Partition) -> conform.PartitionKnown:
    return {
        "replicas": list(one.replicas),
        "isr": sorted(one.isr),
        "leader": one.leader,
        "leader_epoch": one.leader_epoch,
        "adding": sorted(one.adding),
        "removing": sorted(one.removing),
        "eligible_leader_replicas": sorted(one.elr),
        "last_known_leader": one.last_known_leader,
        "recovering": one.recovering,
    }


def _brokers(verdict: BrokersVerdict) -> conform.BrokersJudged:
    return {
        "verdict": "refused" if verdict.refused else "accepted" if verdict.accepted else "nothing to judge",
        "brokers": sorted(verdict.brokers),
        "partitions": len(verdict.partitions),
        "accepted": dict(sorted(verdict.judged.items())),
        "refused": [
            {
                "file": one.place.file,
                "line": one.place.line,
                "broker": one.broker,
                "partition": one.partition,
                "found": one.found,
                "expected": one.expected,
            }
            for one in verdict.refused
        ],
        "left_out": dict(sorted(verdict.left_out.items())),
        "cut": [str(place) for place in verdict.cut],
    }
