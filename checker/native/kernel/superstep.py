"""The kernel of a distributed search: what one partition does to a level, as LLVM text.

A superstep expands the states of one level and exchanges what it finds by owner. `expand` takes the steps of a stretch
of states, counts them and keeps one entry for each successor; `count_owners` and `scatter` sort the entries by the
partition that owns them; there `settle` decides which are new, and `judge_new` judges those. `admit` enters states that
a log already names into a table; `find` looks a hash up in a log.

An entry is the words of the state, then the instance that reached it and the lane-0 hash of the state before. Of equal
states the entry with the least (instance, hash before) is kept, in `expand` and in `settle`: attribution is the same
for any order and any number of partitions. The owner of a state is the low half of its hash scaled to the number of
partitions; its place in a table comes from the top half.
"""

from __future__ import annotations

from collections.abc import Callable

from ...ir.digest import SECRETS
from ..program.program import INSTANCE_BITS
from .superstep_vocabulary import CHUNK, SuperstepText
from .vocabulary import FAILED_ON_STATE, FAILED_ON_STEP, FAILED_STEP, FAILURE

INSTANCE_MASK = (1 << INSTANCE_BITS) - 1


def superstep_text(words: int, constrained: bool) -> str:
    """The LLVM module of the superstep for states of this many words; `constrained` if there is a state constraint."""
    return "\n".join(
        [
            "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
            "declare i64 @llvm.umin.i64(i64, i64)",
            "declare i64 @llvm.cttz.i64(i64, i1)",
            _expand(words, constrained),
            _keep(words),
            _by_owner(words, "count_owners", None),
            _by_owner(words, "scatter", _copy_entry),
            _settle(words),
            _admit(words),
            _judge_new(words),
            _find(words),
            _rehash(words),
        ]
    )


# -- expansion ----------------------------------------------------------------------------------------------------


def _expand(words: int, constrained: bool) -> str:
    """`expand(context)`: take the steps of the states from the cursor on, until the end or until there is no room."""
    k = SuperstepText("void @expand(ptr noalias %context)", words)
    filled = k.variable("i64", "0")
    with k.loop() as (_, done):
        k.leave(k.value(f"icmp uge i64 {k.load('cursor')}, {k.load('end')}"), done)
        needed = k.value(f"add i64 {k.load('sent_count')}, {k.load('scratch_entries')}")
        k.leave(k.value(f"icmp ugt i64 {needed}, {k.load('sent_room')}"), done)
        k.do(f"store i64 0, ptr {filled}")
        limit = k.value(f"sub i64 {k.load('scratch_entries')}, {k.load('out_degree')}")
        with k.loop() as (_, full):
            cursor, n = k.load("cursor"), k.value(f"load i64, ptr {filled}")
            k.leave(k.value(f"icmp uge i64 {cursor}, {k.load('end')}"), full)
            k.leave(k.value(f"icmp ugt i64 {n}, {limit}"), full)
            _expand_state(k, cursor, n, filled, constrained)
            k.store("cursor", k.value(f"add i64 {cursor}, 1"))
        k.do(f"call void @keep(ptr %context, i64 {k.value(f'load i64, ptr {filled}')})")
    k.do("ret void")
    return k.text()


def _expand_state(k: SuperstepText, cursor: str, n: str, filled: str, constrained: bool) -> None:
    """Write the successors of a state that this partition owns to the scratch entries, and count them."""
    state = k.at("frontier", k.value(f"mul i64 {cursor}, {k.words}"))
    origin = k.hash_of(state, 0)
    with k.where(k.value(f"icmp eq i64 {k.owner(origin)}, {k.load('shard')}")):
        k.bump("expanded", "1")
        made = k.value(f"call i64 {k.pointer('step')}(ptr {state}, ptr {k.scratch(n)}, i64 {k.load('open')})")
        with k.where(k.value(f"icmp eq i64 {made}, 0")):
            k.bump("dead_ends", "1")
        end = k.value(f"add i64 {n}, {made}")
        index = k.variable("i64", n)
        with k.loop() as (head, done):
            i = k.value(f"load i64, ptr {index}")
            k.leave(k.value(f"icmp uge i64 {i}, {end}"), done)
            k.do(f"store i64 {k.value(f'add i64 {i}, 1')}, ptr {index}")
            _take_step(k, state, origin, k.scratch(i), head, constrained)
        k.do(f"store i64 {end}, ptr {filled}")


def _take_step(k: SuperstepText, state: str, origin: str, entry: str, following: str, constrained: bool) -> None:
    """Count a step and finish its entry; a step that fails or leaves the constraint is taken out of the entries."""
    tag = k.word(entry, k.words)
    instance = k.value(f"and i64 {tag}, {INSTANCE_MASK}")
    tag_at = k.value(f"getelementptr i64, ptr {entry}, i64 {k.words}")
    k.do(f"store i64 -1, ptr {tag_at}")
    with k.where(k.value(f"icmp slt i64 {tag}, 0")):
        k.note_least(str(FAILURE), [str(FAILED_STEP), instance, origin, "0"], state)
        k.go(following)
    with k.where(k.value(f"icmp ugt i64 {tag}, {INSTANCE_MASK}")):
        k.note_all(k.value(f"lshr i64 {tag}, {INSTANCE_BITS}"), FAILED_ON_STEP, [instance, origin, "0"], state)
    k.bump_at("steps", instance)
    hash = k.hash_of(entry, 0)
    if constrained:
        _check_constraint(k, state, entry, hash, instance, origin, following)
    _add_to_digest(k, origin, instance, hash)
    k.do(f"store i64 {instance}, ptr {tag_at}")
    k.do(f"store i64 {origin}, ptr {k.value(f'getelementptr i64, ptr {entry}, i64 {k.words + 1}')}")
    k.do(f"store i64 {hash}, ptr {k.value(f'getelementptr i64, ptr {entry}, i64 {k.words + 2}')}")
    k.prefetch(k.at("sent_table", k.place(hash, "sent_slots")))


def _check_constraint(
    k: SuperstepText, state: str, entry: str, hash: str, instance: str, origin: str, following: str
) -> None:
    """A state outside the constraint is judged, but not sent to its owner, and the step to it is in no digest."""
    inside = k.value(f"call i64 {k.pointer('within')}(ptr {entry})")
    with k.where(k.value(f"icmp eq i64 {inside}, 2")):
        k.note_least(str(FAILURE), [str(FAILED_ON_STEP), instance, origin, "0"], state)
        k.go(following)
    with k.where(k.value(f"icmp eq i64 {inside}, 0")):
        k.bump("left_constraint", "1")
        judged = k.value(f"call i64 {k.pointer('judge')}(ptr {entry}, i64 {k.load('open')})")
        with k.where(k.value(f"icmp ne i64 {judged}, 0")):
            by = k.value(f"add i64 {instance}, 1")
            k.note_all(judged, FAILED_ON_STATE, [hash, by, origin], state)
        k.go(following)


def _add_to_digest(k: SuperstepText, origin: str, instance: str, hash: str) -> None:
    """Add the two lanes of a step's hash, as `checker.ir.digest.step_hash` defines them."""
    constant = k.value(f"load i64, ptr {k.at('constants', instance)}")
    k.bump("steps_low", k.fold(k.value(f"xor i64 {origin}, {constant}"), k.xor(hash, SECRETS[2])))
    k.bump("steps_high", k.fold(k.value(f"add i64 {origin}, {constant}"), k.xor(hash, SECRETS[5])))


def _keep(words: int) -> str:
    """`keep(context, n)`: merge the first n scratch entries into those to be sent."""
    k = SuperstepText("void @keep(ptr noalias %context, i64 %n)", words)
    index, position = k.variable("i64", "0"), k.variable("i64", "0")
    with k.loop() as (head, done):
        i = k.value(f"load i64, ptr {index}")
        k.leave(k.value(f"icmp uge i64 {i}, %n"), done)
        k.do(f"store i64 {k.value(f'add i64 {i}, 1')}, ptr {index}")
        entry = k.scratch(i)
        instance, origin, hash = (k.word(entry, words + extra) for extra in range(3))
        k.leave(k.value(f"icmp eq i64 {instance}, -1"), head)
        state = [k.word(entry, w) for w in range(words)]
        with k.look_up("sent", state, hash, position, words + 2) as (known, slot_at):
            k.keep_least(
                k.value(f"getelementptr i64, ptr {known}, i64 {words}"),
                k.value(f"getelementptr i64, ptr {known}, i64 {words + 1}"),
                instance,
                origin,
                "i64",
            )
            k.go(head)
        count = k.load("sent_count")
        to = k.at("sent", k.value(f"mul i64 {count}, {words + 2}"))
        for w, operand in enumerate([*state, instance, origin]):
            k.do(f"store i64 {operand}, ptr {k.value(f'getelementptr i64, ptr {to}, i64 {w}')}")
        k.occupy(slot_at, hash, count)
        k.store("sent_count", k.value(f"add i64 {count}, 1"))
    k.do("ret void")
    return k.text()


def _by_owner(words: int, name: str, also: Callable[[SuperstepText, str, str], None] | None) -> str:
    """`count_owners(context)`: the entries of each owner; `scatter(context)`: copy each to its owner's next place."""
    k = SuperstepText(f"void @{name}(ptr noalias %context)", words)
    index = k.variable("i64", "0")
    with k.loop() as (_, done):
        i = k.value(f"load i64, ptr {index}")
        k.leave(k.value(f"icmp uge i64 {i}, {k.load('sent_count')}"), done)
        k.do(f"store i64 {k.value(f'add i64 {i}, 1')}, ptr {index}")
        entry = k.at("sent", k.value(f"mul i64 {i}, {words + 2}"))
        owner = k.owner(k.hash_of(entry, 0))
        if also is not None:
            also(k, entry, k.value(f"load i64, ptr {k.at('offsets', owner)}"))
        k.bump_at("offsets", owner)
    k.do("ret void")
    return k.text()


def _copy_entry(k: SuperstepText, entry: str, place: str) -> None:
    to = k.at("wire", k.value(f"mul i64 {place}, {k.words + 2}"))
    for w in range(k.words + 2):
        k.do(f"store i64 {k.word(entry, w)}, ptr {k.value(f'getelementptr i64, ptr {to}, i64 {w}')}")


# -- the owner ----------------------------------------------------------------------------------------------------


def _chunks(k: SuperstepText, stride: int, settle_one: Callable[[str, str, str], None]) -> None:
    """Go through `%n` records of `stride` words at `%records`, asking for the memory of a chunk before using it.

    `settle_one` gets the address of a record, its hash, and the label to go on with.
    """
    words = k.words
    base, index = k.variable("i64", "0"), k.variable("i64", "0")
    with k.loop() as (_, done):
        first = k.value(f"load i64, ptr {base}")
        k.leave(k.value(f"icmp uge i64 {first}, %n"), done)
        rest = k.value(f"sub i64 %n, {first}")
        size = k.value(f"call i64 @llvm.umin.i64(i64 {rest}, i64 {CHUNK})")
        k.do(f"store i64 {k.value(f'add i64 {first}, {size}')}, ptr {base}")

        def each(act: Callable[[str, str, str], None], size: str = size, first: str = first) -> None:
            k.do(f"store i64 0, ptr {index}")
            with k.loop() as (head, end):
                j = k.value(f"load i64, ptr {index}")
                k.leave(k.value(f"icmp uge i64 {j}, {size}"), end)
                k.do(f"store i64 {k.value(f'add i64 {j}, 1')}, ptr {index}")
                offset = k.value(f"mul i64 {k.value(f'add i64 {first}, {j}')}, {stride}")
                act(k.value(f"getelementptr i64, ptr %records, i64 {offset}"), k.at("hashes", j), head)

        def ask_for_slot(record: str, hash_at: str, _: str) -> None:
            hash = k.hash_of(record, 0)
            k.do(f"store i64 {hash}, ptr {hash_at}")
            k.prefetch(k.at("table", k.place(hash, "slots")))

        def ask_for_state(_: str, hash_at: str, __: str) -> None:
            hash = k.value(f"load i64, ptr {hash_at}")
            slot = k.value(f"load i64, ptr {k.at('table', k.place(hash, 'slots'))}")
            differs = k.value(f"icmp ugt i64 {k.value(f'xor i64 {slot}, {hash}')}, {(1 << 32) - 1}")
            known = k.at("states", k.value(f"mul i64 {k.index_in(slot)}, {words}"))
            k.prefetch(k.value(f"select i1 {differs}, ptr %context, ptr {known}"))

        each(ask_for_slot)
        each(ask_for_state)
        each(lambda record, hash_at, head: settle_one(record, k.value(f"load i64, ptr {hash_at}"), head))


def _settle(words: int) -> str:
    """`settle(context, records, n)`: enter n entries; new states are kept with their least (instance, hash before)."""
    k = SuperstepText("void @settle(ptr noalias %context, ptr noalias %records, i64 %n)", words)
    position = k.variable("i64", "0")

    def settle_one(record: str, hash: str, head: str) -> None:
        state = [k.word(record, w) for w in range(words)]
        instance, origin = k.word(record, words), k.word(record, words + 1)
        start = k.load("level_start")
        with k.look_up("states", state, hash, position, words, "table", "slots") as (known, slot_at):
            offset = k.value(f"ptrtoint ptr {known} to i64")
            begin = k.value(f"ptrtoint ptr {k.pointer('states')} to i64")
            at = k.value(f"udiv i64 {k.value(f'sub i64 {offset}, {begin}')}, {8 * words}")
            k.leave(k.value(f"icmp ult i64 {at}, {start}"), head)
            new = k.value(f"sub i64 {at}, {start}")
            k.keep_least(k.at("actions", new, "i16"), k.at("parents", new), instance, origin, "i16")
            k.go(head)
        new = k.value(f"sub i64 {k.load('count')}, {start}")
        k.do(f"store i16 {k.value(f'trunc i64 {instance} to i16')}, ptr {k.at('actions', new, 'i16')}")
        k.do(f"store i64 {origin}, ptr {k.at('parents', new)}")
        k.append(state, hash, slot_at)

    _chunks(k, words + 2, settle_one)
    k.do("ret void")
    return k.text()


def _admit(words: int) -> str:
    """`admit(context, records, n)`: enter those of n logged states that this partition owns."""
    k = SuperstepText("void @admit(ptr noalias %context, ptr noalias %records, i64 %n)", words)
    position = k.variable("i64", "0")

    def settle_one(record: str, hash: str, head: str) -> None:
        k.leave(k.value(f"icmp ne i64 {k.owner(hash)}, {k.load('shard')}"), head)
        state = [k.word(record, w) for w in range(words)]
        with k.look_up("states", state, hash, position, words, "table", "slots") as (_, slot_at):
            k.go(head)
        k.append(state, hash, slot_at)

    _chunks(k, words, settle_one)
    k.do("ret void")
    return k.text()


def _rehash(words: int) -> str:
    """`rehash(context, old, n)`: move n slots of an old table, in order, into the table of the context."""
    k = SuperstepText("void @rehash(ptr noalias %context, ptr noalias %old, i64 %n)", words)
    index, position = k.variable("i64", "0"), k.variable("i64", "0")
    with k.loop() as (head, done):
        i = k.value(f"load i64, ptr {index}")
        k.leave(k.value(f"icmp uge i64 {i}, %n"), done)
        k.do(f"store i64 {k.value(f'add i64 {i}, 1')}, ptr {index}")
        slot = k.value(f"load i64, ptr {k.value(f'getelementptr i64, ptr %old, i64 {i}')}")
        k.leave(k.value(f"icmp eq i64 {slot}, 0"), head)
        k.do(f"store i64 {k.place(slot, 'slots')}, ptr {position}")
        with k.loop() as (_, free):
            at = k.at("table", k.value(f"load i64, ptr {position}"))
            k.leave(k.value(f"icmp eq i64 {k.value(f'load i64, ptr {at}')}, 0"), free)
            following = k.step_to(k.value(f"load i64, ptr {position}"), k.load("slots"))
            k.do(f"store i64 {following}, ptr {position}")
        k.do(f"store i64 {slot}, ptr {k.at('table', k.value(f'load i64, ptr {position}'))}")
    k.do("ret void")
    return k.text()


def _judge_new(words: int) -> str:
    """`judge_new(context)`: count, add to the digest and judge the states that are new in this level."""
    k = SuperstepText("void @judge_new(ptr noalias %context)", words)
    index = k.variable("i64", k.load("level_start"))
    with k.loop() as (head, done):
        i = k.value(f"load i64, ptr {index}")
        k.leave(k.value(f"icmp uge i64 {i}, {k.load('count')}"), done)
        k.do(f"store i64 {k.value(f'add i64 {i}, 1')}, ptr {index}")
        state = k.at("states", k.value(f"mul i64 {i}, {words}"))
        new = k.value(f"sub i64 {i}, {k.load('level_start')}")
        action = k.value(f"load i16, ptr {k.at('actions', new, 'i16')}")
        instance = k.value(f"zext i16 {action} to i64")
        k.bump_at("new_states", instance)
        hash = k.hash_of(state, 0)
        k.bump("digest_low", hash)
        k.bump("digest_high", k.hash_of(state, 1))
        judged = k.value(f"call i64 {k.pointer('judge')}(ptr {state}, i64 {k.load('open')})")
        k.leave(k.value(f"icmp eq i64 {judged}, 0"), head)
        k.note_all(judged, FAILED_ON_STATE, [hash, "0", "0"], state)
    k.do("ret void")
    return k.text()


def _find(words: int) -> str:
    """`find(records, from, n, hash)`: the first of n states, from `from` on, with this hash; n if there is none."""
    k = SuperstepText("i64 @find(ptr %records, i64 %from, i64 %n, i64 %hash)", words)
    index = k.variable("i64", "%from")
    with k.loop() as (_, done):
        i = k.value(f"load i64, ptr {index}")
        k.leave(k.value(f"icmp uge i64 {i}, %n"), done)
        state = k.value(f"getelementptr i64, ptr %records, i64 {k.value(f'mul i64 {i}, {words}')}")
        k.leave(k.value(f"icmp eq i64 {k.hash_of(state, 0)}, %hash"), done)
        k.do(f"store i64 {k.value(f'add i64 {i}, 1')}, ptr {index}")
    k.do(f"ret i64 {k.value(f'load i64, ptr {index}')}")
    return k.text()
