"""Writing LLVM functions as text: fresh names, blocks, and the expressions already computed where a block stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager


class FunctionText:
    """The text of one LLVM function under construction.

    `known` maps what has been computed to its register; it is scoped, so that a register is only reused in blocks that
    the computation dominates.
    """

    def __init__(self, signature: str) -> None:
        self._head = [f"define {signature} {{", "entry:"]
        self._lines: list[str] = []
        self._count = 0
        self._scopes: list[dict[object, str]] = [{}]

    def fresh(self, stem: str = "v") -> str:
        """A name that is not used yet, without its sigil."""
        self._count += 1
        return f"{stem}{self._count}"

    def value(self, instruction: str) -> str:
        """Emit an instruction with a result; the register that holds it."""
        name = "%" + self.fresh()
        self._lines.append(f"  {name} = {instruction}")
        return name

    def do(self, instruction: str) -> None:
        """Emit an instruction without a result."""
        self._lines.append(f"  {instruction}")

    def block(self, label: str) -> None:
        """Begin a block."""
        self._lines.append(f"{label}:")

    def variable(self, type: str, initial: str) -> str:
        """A mutable variable in memory, set to `initial` here; optimisation turns it into registers."""
        name = "%" + self.fresh()
        self._head.append(f"  {name} = alloca {type}")
        self.do(f"store {type} {initial}, ptr {name}")
        return name

    @contextmanager
    def where(self, condition: str) -> Iterator[None]:
        """What follows runs only where the condition holds; registers made inside are forgotten afterwards."""
        then, after = self.fresh("then"), self.fresh("after")
        self.do(f"br i1 {condition}, label %{then}, label %{after}")
        self.block(then)
        self._scopes.append({})
        yield
        self._scopes.pop()
        self.do(f"br label %{after}")
        self.block(after)

    @contextmanager
    def otherwise(self) -> Iterator[None]:
        """Directly after `where`: what follows runs only where its condition did not hold."""
        after = self._lines.pop()[:-1]
        done = self.fresh("after")
        assert self._lines[-1] == f"  br label %{after}"
        self._lines[-1] = f"  br label %{done}"
        self.block(after)
        self._scopes.append({})
        yield
        self._scopes.pop()
        self.do(f"br label %{done}")
        self.block(done)

    @contextmanager
    def switch(self, operand: str, values: Sequence[int]) -> Iterator[Iterator[int]]:
        """One block for each value: iterate over what is yielded and write the block of each value in turn."""
        labels = {value: self.fresh("case") for value in values}
        after = self.fresh("after")
        cases = " ".join(f"i64 {value}, label %{label}" for value, label in labels.items())
        self.do(f"switch i64 {operand}, label %{after} [{cases}]")

        def blocks() -> Iterator[int]:
            for value, label in labels.items():
                self.block(label)
                self._scopes.append({})
                yield value
                self._scopes.pop()
                self.do(f"br label %{after}")

        yield blocks()
        self.block(after)

    @contextmanager
    def loop(self) -> Iterator[tuple[str, str]]:
        """An endless loop; yields the labels to go on with and to leave it by."""
        head, tail = self.fresh("loop"), self.fresh("done")
        self.do(f"br label %{head}")
        self.block(head)
        self._scopes.append({})
        yield head, tail
        self._scopes.pop()
        self.do(f"br label %{head}")
        self.block(tail)

    def give_back(self, instruction: str) -> None:
        """Return from inside a block; what follows in it is never reached."""
        self.do(instruction)
        self.block(self.fresh("unreached"))

    def go(self, label: str) -> None:
        """Jump from inside a block; what follows in it is never reached."""
        self.give_back(f"br label %{label}")

    def leave(self, condition: str, label: str) -> None:
        """Jump to a label if the condition holds, else go on in a new block."""
        following = self.fresh("next")
        self.do(f"br i1 {condition}, label %{label}, label %{following}")
        self.block(following)

    def known(self, key: object) -> str | None:
        """The register that holds what `key` stands for, if it has been computed where we are."""
        for scope in reversed(self._scopes):
            if key in scope:
                return scope[key]
        return None

    def remember(self, key: object, register: str) -> str:
        """Note that a register holds what `key` stands for."""
        self._scopes[-1][key] = register
        return register

    def text(self) -> str:
        """The finished function."""
        return "\n".join([*self._head, *self._lines, "}", ""])
