"""The proof that Kafka with eligible leader replicas loses nothing committed: where it holds, and where it must not."""

from __future__ import annotations

from collections import defaultdict

import pytest

from epochal.checker.crosscheck.cross_check import difference
from epochal.checker.mutation.mutants import mutants_of
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from epochal.checker.solver.dispatch import QueryRunner, in_this_process
from epochal.checker.solver.induction import RLIMIT, Induction, prepared
from epochal.spec.bugs.kraft import BUGS
from epochal.spec.kraft.commit_proof import KraftProof
from epochal.spec.kraft.configuration import ConfigurableKraft, with_more, with_settings, with_steps
from epochal.spec.kraft.state import KraftBounds
from epochal.spec.language import Protocol
from epochal.spec.language.configurable import with_configuration
from epochal.spec.registry import proof_of, registered

SMALLEST = {name: one.least for name, one in KraftBounds.declared().items()} | {"replication_factor": 2}
"""What a known bug takes for bounds that it does not name."""

SMALL = {"replication_factor": 2, "records": 1, "max_epoch": 1, "metadata_lag": 1}
Open = dict[str, set[str]]
"""What is not proved: of each action, or of "implication", the lemmas or properties."""


def left_open(protocol: Protocol, properties: tuple[str, ...] | None = None) -> Open:
    """Prove invariants (None: all, and that each action can happen), and say what is open."""
    ask = QueryRunner(in_this_process, cached=False)
    induction = Induction(prepared(protocol, properties), RLIMIT, ask, least=False)
    found: Open = defaultdict(set)
    for answer in induction.answers():
        if answer.verdict != "proved":
            assert answer.verdict == "counterexample", answer.reason
            instance = answer.obligation.instance
            row = answer.obligation.kind if instance is None else instance.action.name
            found[row].add(answer.obligation.column)
    if properties is None and not found:
        assert induction.vacuous() == ()
    return dict(found)


def small(crashes: int = 0) -> KraftProof:
    """Two brokers, of which one may lose data."""
    return KraftProof(KraftBounds(**SMALL, crashes=crashes))


def of_bug(id: str, rule: bool) -> Protocol:
    """The protocol of a known bug, at its bounds, with the lemmas: with the rule that the bug lacks, or without."""
    bug = next(one for one in BUGS if one.id == id)
    base = with_steps(with_more(KraftProof, *bug.steps), bug.faulty)
    settings = bug.sound if rule else bug.faulty
    kind = with_settings(base, settings, f"kraft-proof-{id}")
    return kind(kind.bounds_type()(**{**SMALLEST, **bug.bounds}))


def test_the_smallest_edition_is_proved() -> None:
    """Every invariant of the modern protocol, after any number of steps: two brokers, of which one may lose data."""
    protocol = small()
    names = {member.name for member in protocol.members("invariant")}
    assert names >= {"leader_candidate_completeness", "committed_never_lost", "acknowledged_durable"}
    assert left_open(protocol) == {}


def test_one_crash_more_and_the_last_known_leader_is_elected() -> None:
    """N2: with ISR and ELR empty, who lost data is elected when it is unfenced; nothing else breaks these lemmas."""
    found = left_open(small(crashes=1))
    assert found["unfence"] >= {"lost_data_may_not_be_elected", "electable_hold_what_is_committed"}
    assert found.keys() == {"unfence", "restart", "fetch", "implication"}
    assert "committed_never_lost" in found["implication"]


def test_the_lemmas_hold_in_every_reachable_state() -> None:
    """They are no more than what is true: a search says the same of each."""
    protocol = small()
    names = tuple(member.name for member in protocol.members("lemma"))
    result = breadth_first.check(protocol, Options(properties=names, lemmas=True, all_violations=True, workers=1))
    assert result.exhaustive and result.distinct_states == 14_242
    assert {one.verdict for one in result.properties} == {"holds"} and len(result.properties) == len(names)


def test_history_changes_no_step() -> None:
    """What is remembered is only remembered; and settings lead to the proof of the protocol that they make."""
    bounds = {**SMALL, "shrinks": 0, "elections": 0, "lossy_crashes": 0}
    wrong, states = difference(ConfigurableKraft(KraftBounds(**bounds)), KraftProof(KraftBounds(**bounds)), 400)
    assert wrong == "" and states == 400
    shipped = with_configuration(ConfigurableKraft, {"kafka": "4.4"})
    found = proof_of(shipped)
    assert found is not None and issubclass(found, KraftProof) and found.settings == vars(shipped)["settings"]
    assert proof_of(ConfigurableKraft) is registered("kraft-proof") is KraftProof


BROKEN = {
    "N1": ("replay_metadata", "known_followers_have_reached_the_epoch"),
    "S15": ("replay_known_change", "leaders_count_the_electable_or_are_stuck"),
    "N3": ("refuse_a_copy", "leaders_count_the_electable_or_are_stuck"),
    "H3": ("assign_directory", "somebody_can_be_elected"),
    "H4": ("replace_directory", "lost_data_may_not_be_elected"),
    "S9": ("fetch", "lost_data_may_not_be_elected"),
    "S11": ("fetch", "leaders_count_the_electable_or_are_stuck"),
    "S12": ("propose_shrink", "electable_hold_what_may_be_committed"),
}
"""The only action that breaks lemmas where the rule of a known bug is missing, and one of the lemmas."""


@pytest.mark.long
@pytest.mark.parametrize("id", BROKEN)
def test_a_rule_that_a_known_bug_lacks(id: str) -> None:
    """Without it one action breaks lemmas; with it, and the steps that the bug needs, all goes through."""
    properties = next(one.properties for one in BUGS if one.id == id)
    action, lemma = BROKEN[id]
    found = left_open(of_bug(id, rule=False), properties)
    assert found.keys() == {action} and lemma in found[action]
    assert left_open(of_bug(id, rule=True), properties) == {}


@pytest.mark.long
@pytest.mark.parametrize("id", ["N2", "H1", "H2", "S1", "S13", "S18", "S20", "S21", "S21b", "S23"])
def test_no_known_bug_is_proved_away(id: str) -> None:
    """What is violated in a reachable state cannot follow from lemmas that hold there."""
    bug = next(one for one in BUGS if one.id == id)
    assert left_open(of_bug(id, rule=False), bug.properties) != {}


@pytest.mark.long
def test_no_guard_that_an_invariant_needs_is_proved_away() -> None:
    """Of the guards, conjuncts and comparisons of all rules, each taken away by itself."""
    protocol = small()
    names = tuple(member.name for member in protocol.members("invariant"))
    needed = []
    for mutant in mutants_of(protocol):
        weaker = mutant.build()(protocol.bounds)
        found = breadth_first.check(weaker, Options(properties=names, workers=1))
        if any(one.verdict == "violated" for one in found.properties):
            needed.append(mutant.id)
            assert left_open(weaker, names) != {}, mutant.id
    assert len(needed) >= 12


@pytest.mark.long
def test_as_many_crashes_as_min_insync_replicas_less_one() -> None:
    """Two of any kind with min.insync.replicas=3, where with 2 one crash more than one is too many."""
    protocol = with_configuration(KraftProof, {"min_insync_replicas": 3})
    assert left_open(protocol(KraftBounds(metadata_lag=1, lossy_crashes=1, crashes=1))) == {}


RELEASES: dict[str, dict[str, object]] = {
    **{version: {"kafka": version} for version in ("4.1", "4.2", "4.3", "4.4")},
    "4.0.1": {"kafka": "4.0.1", "elr": True},
    "4.0": {"kafka": "4.0", "elr": True},
}
"""The releases that have eligible leader replicas, with them."""


@pytest.mark.long
@pytest.mark.parametrize("release", RELEASES)
def test_a_release_breaks_the_lemmas_where_its_holes_are(release: str) -> None:
    """A leader that leads on through an epoch (N1), one that forgets what it proposed (S15), late answers (S10)."""
    found = left_open(with_configuration(KraftProof, RELEASES[release])())
    broken = {"replay_metadata": 10, "replay_known_change": 11}
    broken |= {"late_answer_arrives": 13} if release == "4.0" else {}
    assert {action: len(lemmas) for action, lemmas in found.items()} == broken
    assert "known_followers_have_reached_the_epoch" in found["replay_metadata"]
    assert "leaders_count_the_electable_or_are_stuck" in found["replay_known_change"]


@pytest.mark.long
def test_no_lemma_can_be_missed() -> None:
    """Without any one of them something is open, at these bounds.

    But two: one is for min.insync.replicas=1, and one follows from others, and says what they are about.
    """
    bounds = {"records": 2, "max_epoch": 3, "fencings": 2}
    induction = Induction(
        prepared(KraftProof(KraftBounds(**bounds)), None),
        RLIMIT,
        QueryRunner(in_this_process, cached=False),
        least=False,
    )
    answers, everything = list(induction.answers()), induction.names
    claims = {claim.member.name: claim for claim in induction.claims}
    for name in sorted(everything - {"request_is_of_the_present", "electable_hold_what_may_be_committed"}):
        uses = [a for a in answers if name in a.core and a.obligation.column != name]
        induction.keep(everything - {name})
        implied = any(a.obligation.kind == "implication" for a in uses)
        missed = implied and not all(a.verdict == "proved" for a in induction.implications())
        for answer in () if missed else uses:
            instance, member = answer.obligation.instance, answer.obligation.member
            if instance is None:
                continue
            wanted = {instance.number: () if member is None else (claims[member.name],)}
            if any(a.verdict != "proved" for a in induction.steps(wanted)):
                missed = True
                break
        assert missed, f"{name} is not needed"


@pytest.mark.long
@pytest.mark.parametrize(
    "bounds",
    [
        {},
        {"records": 2, "max_epoch": 3, "fencings": 2},
        {"records": 3, "max_epoch": 3},
        {"metadata_lag": 3, "max_epoch": 3},
        {"crashes": 1, "lossy_crashes": 0},
        {"metadata_lag": 1, "replication_factor": 4},
        {"replication_factor": 4},
        {"metadata_lag": 1, "records": 2, "max_epoch": 3, "fencings": 2, "shrinks": 2, "elections": 2},
    ],
    ids=str,
)
def test_it_is_proved_at_larger_bounds(bounds: dict[str, int]) -> None:
    """At the default bounds, and at others: lemmas that suffice for one record may not for two."""
    assert left_open(KraftProof(KraftBounds(**bounds))) == {}


@pytest.mark.long
def test_the_lemmas_hold_in_every_state_of_three_brokers() -> None:
    """A search of 421,956 orbits of states, which also says that the lemmas treat brokers alike."""
    protocol = KraftProof(KraftBounds(metadata_lag=1))
    names = tuple(member.name for member in protocol.members("lemma"))
    options = Options(properties=names, lemmas=True, all_violations=True, symmetry=True)
    result = breadth_first.check(protocol, options)
    assert result.exhaustive and result.distinct_states == 421_956
    assert {one.verdict for one in result.properties} == {"holds"}
