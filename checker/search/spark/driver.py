"""The driver of a distributed search: level by level, with a manifest that says what counts."""

from __future__ import annotations

import bisect
import ctypes
import time
import uuid
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from epochal.spec.language import Member, Protocol

from ...base.processes import Background, supervised
from ...ir.layout import Digest
from ...ir.model import CompiledLiveness, Model
from ...liveness.edges import COMPONENT_BYTES, EDGE_BYTES, MARK_BYTES, STATE_BYTES
from ...liveness.native import Question
from ...liveness.result import Liveness, NotJudged
from ...native.backend import LivenessCode
from ...native.engine import NativeModel, load_kernel
from ...native.kernel.kernel import INITIAL, LOCAL_BITS, Shape
from ...native.llvm.jit import Compiler
from ...native.program.program import INSTANCE_BITS
from ...native.runtime.memory import Region
from ...native.runtime.worker_pool import Segment, Totals, WorkerPool, redistribute
from ...native.tuning import TUNING
from ...semantics.properties import Assumptions
from ...trace.run import PlainRun
from ..budget import Budget
from ..checkpoint import in_words
from ..compile_cache import CompiledProgram
from ..findings import Findings, chosen_properties, initial_states
from ..liveness import code_to_repeat, judged_natively
from ..native import available_workers
from ..result import (
    FIRST_VIOLATION,
    INTERRUPTED,
    RULE_FAILED,
    CheckResult,
    Counts,
    OnCluster,
    Options,
    Progress,
    StopReason,
    action_results,
)
from ..run import Engine, Frame
from .log import Level, Manifest, Owning, Report, read_levels, read_log, read_manifest, write_levels, write_manifest
from .master import PARTITION_LIMIT, ClusterError, LogDamaged, ResumeRefused, on_this_machine
from .owning import chosen, whole
from .program import Program, loaded, make_program
from .session import check_installation, open_session, plain
from .storage import Hold, Storage, open_storage, used_alone
from .tasks import Hook, Inserted, Job, OnDriver, OnSpark, Order, Outcome, Stages, Supersteps
from .walk import LoggedSample, Walker

if TYPE_CHECKING:
    from .parts.driver import Cluster as Executors

# -- cluster ----------------------------------------------------------------------------------------------------------
# Where and how to search on Spark.

THRESHOLD = 10_000
AHEAD, AHEAD_OF_CLUSTER = 12_000_000, 2_000_000
"""What a driver searches in the five seconds that Spark takes to start on one machine: if it waited, a search of ten
million states would take twice as long, and a larger one no less. Each partition reads all that the driver has found to
take out its own states, so it finds less where there may be many partitions, and a network between."""


def ahead_at(master: str) -> int:
    """How many states the driver may find by itself while Spark starts at a master."""
    return AHEAD if on_this_machine(master) else AHEAD_OF_CLUSTER


@dataclass(frozen=True)
class Cluster:
    """Where and how to search.

    `storage` is a folder or URI that the driver and all executors can write to. Levels of fewer than `threshold` states
    are searched by the driver itself until the first larger one. Then Spark is started, and meanwhile the driver goes
    on until it has `ahead` states, or has taken a quarter of the memory that it may use. `shards` is the number of
    partitions (0: two for each core that Spark has). `cache` is a folder on each worker for owner tables ("": its
    temporary folder). `hook` and `start` let tests fail a search where it hurts, and run its tasks without Spark.
    """

    master: str
    storage: str
    conf: dict[str, str] = field(default_factory=dict)
    resume: bool = False
    threshold: int = THRESHOLD
    shards: int = 0
    cache: str = ""
    hook: Hook | None = None
    start: Callable[[Cluster, Program, str], Supersteps] | None = None
    ahead: int = 0

    def supersteps(self, program: Program, manifest: Manifest) -> Supersteps:
        """What runs the tasks of a run: Spark, or what tests put in its place."""
        group = f"epochal-{manifest.run}"
        if self.start is not None:
            return self.start(self, program, group)
        return OnSpark(open_session(self.master, self.conf, _title(manifest)), program, group)


def _title(manifest: Manifest) -> str:
    """What Spark's own pages call a run: `epochal kip-320 3/3/3/2`."""
    bounds = "/".join(map(str, manifest.question["bounds"].values()))
    return f"epochal {manifest.question['protocol']} {bounds}"


# -- question ---------------------------------------------------------------------------------------------------------
# Which run a storage is for: a new one, or the one that it holds, if that asks the same.


def question_of(model: Model, chosen: Set[str], all_violations: bool) -> dict[str, Any]:
    """What a search asks, as JSON values: the protocol, its bounds and the properties."""
    protocol = model.protocol
    return {
        "protocol": protocol.name or type(protocol).__name__,
        "bounds": protocol.bounds.as_dict(),
        "properties": sorted(chosen),
        "all_violations": all_violations,
    }


def manifest_for(storage: Storage, question: dict[str, Any], digest: str, pending: int, resume: bool) -> Manifest:
    """The manifest to go on from: a new one, or that of the run which is to be resumed.

    Raises ResumeRefused if the storage holds another run, none that could be resumed, or one that was not to be.
    """
    found = read_manifest(storage)
    if found is None:
        if resume:
            raise ResumeRefused(f"there is no run to resume in {storage.uri}.\n  Leave out --resume to begin one.")
        return Manifest(uuid.uuid4().hex[:12], question, digest, 0, pending)
    if not resume:
        raise ResumeRefused(
            f"{storage.uri} holds a run of {found.question['protocol']} ({found.states:,} states).\n"
            "  Go on with it: --resume last. Or give --storage an empty folder."
        )
    if found.question != question:
        raise ResumeRefused(_other_question(storage, found.question, question))
    if found.digest != digest:
        raise ResumeRefused(
            f"{storage.uri} holds a run of another version of {question['protocol']}: its rules have changed."
            "\n  Search again with an empty --storage."
        )
    return found


def _other_question(storage: Storage, found: dict[str, Any], asked: dict[str, Any]) -> str:
    differing = [key for key in asked if found.get(key) != asked[key]]
    lines = [f"{storage.uri} holds a run of another question, which cannot be continued by this one."]
    lines += [f"  {key}: {in_words(found.get(key))} there, {in_words(asked[key])} asked for." for key in differing]
    return "\n".join([*lines, "  Ask the same question, or give --storage an empty folder."])


OWN_SHARE = 4
"""The driver goes on while Spark starts until its search has taken one part in so many of the memory it may use."""


class _Spent(Exception):
    """A budget is spent while Spark starts, or a level is made."""

    def __init__(self, reason: StopReason) -> None:
        super().__init__(str(reason))
        self.reason = reason


class SparkSearch(Engine):
    """One run: the model, its machine code, the storage and the manifest so far."""

    name = "spark"

    def __init__(self, compiled: CompiledProgram, options: Options, cluster: Cluster, hold: Hold) -> None:
        self.compiled, model = compiled, compiled.model
        self.model, self.options, self.cluster, self.hold = model, options, cluster, hold
        self.chosen = frozenset(m.name for m in chosen_properties(model.protocol, options))
        self.program = make_program(model, compiled.text())
        self.storage: Storage = open_storage(cluster.storage)
        self.on_driver: OnDriver | None = None
        self.on_spark: Supersteps | None = None
        self.starting: Background[Supersteps] | None = None
        self.stages: Stages | None = None
        self.manifest = self._manifest()
        self.resumed_from = self.manifest.states
        self.in_use_before = 0

    # -- beginning ------------------------------------------------------------------------------------------------

    def _manifest(self) -> Manifest:
        question = question_of(self.model, self.chosen, self.options.all_violations)
        pending = sum(1 << i for i, p in enumerate(self.model.properties) if p.member.name in self.chosen)
        return manifest_for(self.storage, question, self.program.digest, pending, self.cluster.resume)

    def job(self) -> Job:
        """The next level."""
        program: Callable[[], Program] = (lambda: self.program) if self.on_spark is None else self.on_spark.program
        manifest, shards = self.manifest, 1 if self.on_spark is None else self.manifest.shards
        return Job(
            manifest.run,
            self.storage,
            program,
            manifest.levels,
            shards,
            manifest.owning or whole(self.program.words),
            manifest.pending,
            self.cluster.cache,
            self.cluster.hook,
            head=manifest.heads[-1] if manifest.heads else None,
            driver=self.hold.driver,
        )

    def begin(self) -> None:
        """Log the initial states."""
        initial = self.on_driver = OnDriver(self.job())
        beyond = self.program.instances
        entries = []
        for codes in initial_states(self.model.protocol):
            entries += [*self.model.layout.pack(codes), beyond, 0]
        packed = (ctypes.c_uint64 * len(entries))(*entries)
        self._advance(*initial.initial(self.job(), memoryview(packed).cast("B")))

    # -- running --------------------------------------------------------------------------------------------------

    def run(self, budget: Budget) -> StopReason | None:
        """Explore level by level. After Ctrl-C there is always something to report: what was recorded."""
        self.in_use_before = budget.in_use()
        if self.manifest.finished:
            return self.manifest.stopped
        try:
            if not self.manifest.levels:
                self.begin()
            while not self.manifest.finished:
                if stopped := self._ended() or self._spent(budget):
                    return stopped
                self._level(budget)
        except _Spent as spent:
            return spent.reason
        except KeyboardInterrupt:
            return INTERRUPTED
        return self.manifest.stopped

    def _ended(self) -> StopReason | None:
        """Why the search must not go on to the next level, by what was found; the manifest then says it is over."""
        manifest, properties = self.manifest, self.model.properties
        stopped = None
        if manifest.failure is not None:
            stopped = RULE_FAILED
        elif not self.options.all_violations and any(
            properties[found.slot].member.mark.kind != "reachable" for _, found in manifest.findings
        ):
            stopped = FIRST_VIOLATION
        if stopped:
            self._record(replace(manifest, finished=True, stopped=stopped))
        return stopped

    def _now(self, budget: Budget) -> Progress:
        manifest = self.manifest
        queue = manifest.levels[-1].count
        return budget.snapshot(manifest.states, sum(manifest.totals.steps), manifest.depth, queue)

    def _spent(self, budget: Budget) -> StopReason | None:
        return budget.spent(self._now(budget), None if self.on_spark is None else self.on_spark.standing)

    def _level(self, budget: Budget) -> None:
        """Make one level and record it. Raises _Spent if it was broken off."""
        if self.on_spark is None and self._wants_spark(budget):
            self._switch(budget)
        if self.on_spark is None:
            if self.on_driver is None:
                self.on_driver = OnDriver(self.job())
            self._advance(*self.on_driver(self.job()))
            return
        spark, before, level = self.on_spark, self.manifest.pending, len(self.manifest.levels)
        self.stages = self.stages or Stages(self.storage, self.hold)
        self._advance(*self.stages.make(self.job(), lambda job, orders: self._supervised(spark, job, orders, budget)))
        self.stages.recorded(level, before, self.manifest.pending)

    def _wants_spark(self, budget: Budget) -> bool:
        """Whether Spark is to make the next level; it is started as soon as levels are large."""
        manifest = self.manifest
        if manifest.levels[-1].shards > 1:
            return True
        if self.starting is None and manifest.levels[-1].count < self.cluster.threshold:
            return False
        taken = budget.in_use() - self.in_use_before
        enough = manifest.states >= self.cluster.ahead or taken >= budget.memory // OWN_SHARE
        if self.starting is None and not enough:
            self.starting = self._start()
        return enough or self.starting is None or self.starting.over

    def _start(self) -> Background[Supersteps]:
        manifest = self.manifest
        return Background("start of Spark", lambda: self.cluster.supersteps(self.program, manifest))

    def _started(self, budget: Budget) -> Supersteps:
        """Spark: what is being started already, else started now. Raises _Spent if that takes too long."""
        doing = f"starting Spark at {self.cluster.master}"

        def check() -> None:
            if stopped := budget.spent(replace(self._now(budget), doing=doing)):
                raise _Spent(replace(stopped, text=f"{stopped} while {doing}"))

        self.starting = self.starting or self._start()
        return self.starting.wait(check)

    def _switch(self, budget: Budget) -> None:
        """From here on Spark does the work. It takes some seconds to start."""
        if self.on_driver is not None:
            self.on_driver.close()
            self.on_driver = None
        self.on_spark = self._started(budget)
        if not self.manifest.shards:
            shards = self.cluster.shards or min(2 * self.on_spark.parallelism, PARTITION_LIMIT)
            self.manifest = replace(self.manifest, shards=shards, owning=self._owning(shards))

    def _owning(self, shards: int) -> Owning:
        """The bits of a state that are to say who owns it, by a sample of the last level, which is one file."""
        states = read_log(self.storage, self.manifest.levels[-1].files[0])
        return chosen(loaded(self.program), self.model.layout, states.states, states.count, shards)

    def _supervised(self, spark: Supersteps, job: Job, orders: Sequence[Order], budget: Budget) -> list[Outcome]:
        """Run tasks on Spark and watch the budget meanwhile. Raises _Spent."""

        def check() -> None:
            self.hold.require()
            if stopped := self._spent(budget):
                raise _Spent(stopped)

        try:
            return supervised(lambda: spark(job, orders), spark.cancel, check)
        except (_Spent, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise _explained(error) from error

    def _advance(self, expanded: Report, results: list[Inserted]) -> None:
        """Check what was expanded and what was inserted against each other, and make them count."""
        report = expanded
        for inserted in results:
            report += inserted.report
        level = Level(len(results), tuple(inserted.file for inserted in results))
        before = self.manifest
        if before.levels and report.expanded != before.levels[-1].count:
            raise ClusterError(
                f"{report.expanded:,} of {before.levels[-1].count:,} states of a level were expanded; it does not count"
            )
        initial = 0 if before.levels else level.count
        if initial + sum(report.discovered) != level.count:
            raise ClusterError(f"{level.count:,} new states were logged, but {sum(report.discovered):,} were counted")
        after = before.with_level(level, report)
        if not level.count:  # nothing to expand: else the last level would be expanded again, and counted twice
            after = replace(after, finished=True, stopped=RULE_FAILED if after.failure is not None else None)
        self._record(after)

    def _record(self, manifest: Manifest) -> None:
        """Make it count. Until the head is written, the last is what counts."""
        number = len(manifest.levels)
        self._at("before manifest", number)
        self.hold.require()
        manifest = write_levels(self.storage, manifest)
        self._at("before head", number)
        self.hold.require()
        self.manifest = write_manifest(self.storage, manifest)
        self._at("after manifest", number)

    def _at(self, moment: str, level: int) -> None:
        if self.cluster.hook is not None:
            self.cluster.hook(moment, level)

    # -- what the frame asks for ----------------------------------------------------------------------------------

    @property
    def state_count(self) -> int:
        return self.manifest.states

    def counts(self) -> Counts:
        manifest, totals, model = self.manifest, self.manifest.totals, self.model
        return Counts(
            states=manifest.states,
            transitions=sum(totals.steps),
            depth=manifest.depth,
            state_digest=Digest(totals.digest_low, totals.digest_high),
            step_digest=Digest(totals.steps_low, totals.steps_high),
            actions=action_results(model.protocol, model.instances, totals.steps, totals.discovered),
            terminal_states=totals.terminal_states,
            left_constraint=totals.left_constraint,
        )

    @cached_property
    def walker(self) -> Walker:
        """What finds runs in the log, when the search has ended."""
        return Walker(self.model, self.program, self.storage, self.manifest)

    def findings(self) -> Findings:
        return self.walker.findings()

    def pending_properties(self) -> list[Member]:
        return [p.member for i, p in enumerate(self.model.properties) if self.manifest.pending >> i & 1]

    def reached(self, members: Sequence[Member], liveness: bool) -> LoggedSample:
        _audit(self.storage, self.manifest)
        model = self.walker.model

        def code() -> LivenessCode:
            return code_to_repeat(model, self.options, Compiler(), dominance=False) if liveness else ()

        return LoggedSample(self.walker, members, code)

    def judge(self, promises: Sequence[CompiledLiveness], assumed: Assumptions, budget: Budget) -> Liveness:
        """Check liveness properties by the driver or by executors, when the memory of the driver's own part is free."""
        self.close()
        return judged_after(self.options, self.walker, lambda: self._executors(budget), promises, assumed, budget)

    def _executors(self, budget: Budget) -> Executors:
        """Spark, for what is too large for the driver. Raises NotJudged if a budget is spent before it is there."""
        from .parts.driver import Cluster as Executors

        try:
            spark = self.on_spark or self._started(budget)
        except _Spent as spent:
            raise NotJudged(str(spent.reason)) from spent
        cluster, parts = self.cluster, self.manifest.shards or self.cluster.shards or 2 * spark.parallelism
        return Executors(
            spark, self.program, self.storage, self.hold, parts, threshold=cluster.threshold, hook=cluster.hook
        )

    def facts(self) -> dict[str, Any]:
        manifest = self.manifest
        by_driver = sum(level.shards == 1 for level in manifest.levels) if manifest.shards != 1 else 0
        cluster = OnCluster(self.cluster.master, len(manifest.levels), by_driver, manifest.shards)
        return {"resumed_from": self.resumed_from, "cluster": cluster}

    def keep(self, result: CheckResult) -> CheckResult:
        """Write the program. Native searches add the recipes of what they compile besides."""
        self.compiled.keep(self.compiled.recipes)
        return replace(result, warnings=(*result.warnings, *(self.stages.told if self.stages else ())))

    def close(self) -> None:
        """Free the memory of the driver's own part, and remove what tasks have sent each other."""
        if self.stages is not None:
            self.stages.close()
        if self.on_driver is not None:
            self.on_driver.close()
            self.on_driver = None


def check(protocol: Protocol, options: Options, cluster: Cluster) -> CheckResult:
    """Explore every state within the bounds, or as far as the budgets allow, on Spark.

    Raises ClusterError when Spark or the storage fails, ResumeRefused for a storage that does not fit the question or
    that another run uses, SemanticsDisagree if the Python semantics says otherwise of a state in the log.
    """
    with used_alone(cluster.storage) as hold:

        def prepare(frame: Frame) -> Callable[[], SparkSearch]:
            check_installation()
            try:
                compiled = CompiledProgram(protocol, options, frame.patience)
                frame.examine(compiled.model)
                compiled.text()
            except OSError as error:
                raise _explained(error, "Nothing was searched: mend the cause and give the command again.") from error
            return lambda: SparkSearch(compiled, options, cluster, hold)

        try:
            return Frame(protocol, options).search(SparkSearch.name, prepare)
        except OSError as error:
            raise _explained(error) from error


def _audit(storage: Storage, manifest: Manifest) -> None:
    """Raise LogDamaged unless every file that counts is there: those of levels as they, the others as large as they
    were written.
    """
    read_levels(storage, manifest.recorded)
    sizes = storage.sizes("log")
    for level in manifest.levels:
        for file in level.written:
            if sizes.get(file.name) != file.size:
                found = "is missing" if file.name not in sizes else f"has {sizes[file.name]:,} bytes"
                raise LogDamaged(f"{storage.path(file.name)} {found}; {file.size:,} were written")


SAFE = "What was searched before is safe in --storage: mend the cause and go on with --resume last."


def _explained(error: BaseException, advice: str = SAFE) -> Exception:
    """What failed, as a ClusterError that says how to go on: Spark, a task, or the storage."""
    if isinstance(error, ClusterError):
        return error
    if isinstance(error, MemoryError):
        return error
    return ClusterError(f"the search on Spark failed: {plain(error)}\n  {advice}")


# -- liveness ---------------------------------------------------------------------------------------------------------
# Liveness properties after a search on Spark: by the driver, which takes the states from the log, or by the executors.
# What must happen in the end is asked of whole runs, and so of all states and the steps between them. Where they fit
# into the memory of the driver, it checks them as after any search: it reads the states level by level, so that the
# shortest runs are the same ones. Where they do not, executors check them part by part (`parts`), with the same answer.

TABLE_BYTES = 16
"""At most so many bytes of the table for each state."""

RUN_BYTES = 44
"""So many bytes for each state are needed besides to find the run that breaks a liveness property."""

FIRST = INITIAL << INSTANCE_BITS
"""Says of a record that its state is an initial one; of any other it is enough that it is none."""


def judged_after(
    options: Options,
    walker: Walker,
    executors: Callable[[], Executors],
    promises: Sequence[CompiledLiveness],
    assumed: Assumptions,
    budget: Budget,
) -> Liveness:
    """What is known of liveness properties: by the driver if it has the memory, or files, for all states and steps, by
    the
    executors otherwise.

    Raises LivenessFails, NotJudged; LogDamaged, ClusterError or OSError if the log cannot be read, or a task fails.
    """
    manifest, words = walker.manifest, walker.model.layout.words
    wanted = TABLE_BYTES * manifest.states
    if not options.spill:
        wanted += (8 * words + 8 + STATE_BYTES + COMPONENT_BYTES + MARK_BYTES + RUN_BYTES) * manifest.states
        wanted += EDGE_BYTES * sum(manifest.totals.steps)
    if not budget.refuses(budget.in_use() + wanted):
        return _judged_here(options, walker, promises, assumed, budget)
    from .parts.driver import JudgedByParts

    started, begun = time.process_time(), time.monotonic()
    question = Question(walker.model, promises, assumed, options.needs, options.deadlock)
    found = JudgedByParts(executors(), question, walker, manifest, budget).run()
    return replace(found, cpu_seconds=time.process_time() - started, wall_seconds=time.monotonic() - begun)


def _judged_here(
    options: Options, walker: Walker, promises: Sequence[CompiledLiveness], assumed: Assumptions, budget: Budget
) -> Liveness:
    """What machine code on the driver says of liveness properties."""
    manifest, model = walker.manifest, walker.model
    native, words = NativeModel(model), model.layout.words
    kernel = load_kernel(native.compiler, Shape(words, bool(model.protocol.members("constraint"))))
    nothing = (0,) * (len(model.instances) + 1)
    steps = (*manifest.totals.steps, *nothing)[: len(nothing)]
    workers = options.workers or available_workers()
    size = workers if manifest.states >= TUNING.shared_from(workers) else 1
    pool = WorkerPool(native.code, kernel, size, Totals(steps, nothing), spill=options.spill)

    def run_to(name: int) -> PlainRun:
        """The run to a state, as the log tells it."""
        worker, local = name >> LOCAL_BITS, name & (1 << LOCAL_BITS) - 1
        level = bisect.bisect_right([ends[worker] for ends in pool.ends], local)
        return walker.run(level, tuple(pool.state(name)))

    try:
        with ExitStack() as kept:
            levels = _levels(walker.storage, manifest.levels, words, kept)
            redistribute(kernel, levels, pool, tables=True)
        return judged_natively(native, pool, run_to, options, promises, assumed, budget, len(pool.ends))
    finally:
        pool.close()


def _levels(storage: Storage, levels: Sequence[Level], words: int, kept: ExitStack) -> Iterator[Sequence[Segment]]:
    """The states of each level as records; those of a level are freed when the next but one is asked for."""
    close: list[Callable[[], None]] = []
    for number, level in enumerate(levels):
        if not level.count:
            continue
        region = Region(level.count * (8 * words + 8))
        kept.callback(region.close)
        done = 0
        for file in level.written:
            logged = read_log(storage, file)
            _put(region.address, done, words, logged.address, logged.count, 0 if number else FIRST)
            done += logged.count
        if len(close) > 1:
            close.pop(0)()
        close.append(region.close)
        yield [Segment(region.address, 0, level.count)]


def _put(records: int, first: int, words: int, states: int, count: int, predecessor: int) -> None:
    """Write states that lie one after another as records from a place on."""
    size = words + 1
    to = memoryview((ctypes.c_uint64 * (count * size)).from_address(records + 8 * size * first)).cast("B").cast("Q")
    source = memoryview((ctypes.c_uint64 * (count * words)).from_address(states)).cast("B").cast("Q")
    for word in range(words):
        to[word::size] = source[word::words]
    to[words::size] = memoryview((ctypes.c_uint64 * count)(*[predecessor] * count)).cast("B").cast("Q")
