"""Writing LLVM functions as text: fresh names, blocks, and the expressions already computed where a block stands.

What instructions there are is in `instructions`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .operands import Bit, Label, Operand, Word, text_of


class FunctionText:
    """The text of one LLVM function under construction.

    `known` maps what has been computed to its register; it is scoped, so that a register is only reused in blocks that
    the computation dominates.
    """

    def __init__(self, signature: str) -> None:
        self._head = [f"define {signature} {{", "entry:"]
        self._lines: list[str] = []
        self._count = 0
        self._scopes: list[dict[object, Word | Bit]] = [{}]

    def label(self, stem: str) -> Label:
        """The name of a block that is not used yet."""
        return Label(self._fresh(stem))

    def _fresh(self, stem: str = "v") -> str:
        self._count += 1
        return f"{stem}{self._count}"

    def _emit(self, instruction: str) -> None:
        """Write an instruction without a result."""
        self._lines.append(f"  {instruction}")

    def _result(self, instruction: str) -> str:
        """Write an instruction with a result; the register that holds it."""
        name = "%" + self._fresh()
        self._lines.append(f"  {name} = {instruction}")
        return name

    def _reserve(self, type: str) -> str:
        """Room for a value of a type, for as long as the function runs; the register with its address."""
        name = "%" + self._fresh()
        self._head.append(f"  {name} = alloca {type}")
        return name

    # -- blocks ---------------------------------------------------------------------------------------------------

    def block(self, label: Label) -> None:
        """Begin a block."""
        self._lines.append(f"{label}:")

    def branch(self, label: Label) -> None:
        """End a block: go on at a label."""
        self._emit(f"br label %{label}")

    def ret(self, value: Operand | int | None = None) -> None:
        """End a block: return. A whole number is a 64-bit constant."""
        if value is None:
            self._emit("ret void")
        else:
            self._emit(f"ret {value.type if isinstance(value, Operand) else Word.type} {text_of(value)}")

    def unreachable(self) -> None:
        """End a block whose end is never reached."""
        self._emit("unreachable")

    def return_here(self, value: Operand | int | None = None) -> None:
        """Return from inside a block; what follows in it is never reached."""
        self.ret(value)
        self.block(self.label("unreached"))

    def jump(self, label: Label) -> None:
        """Jump from inside a block; what follows in it is never reached."""
        self.branch(label)
        self.block(self.label("unreached"))

    def jump_if(self, condition: Bit, label: Label) -> None:
        """Jump to a label if the condition holds, else go on in a new block."""
        following = self.label("next")
        self._emit(f"br i1 {condition}, label %{label}, label %{following}")
        self.block(following)

    @contextmanager
    def where(self, condition: Bit) -> Iterator[None]:
        """What follows runs only where the condition holds; registers made inside are forgotten afterwards."""
        then, after = self.label("then"), self.label("after")
        self._emit(f"br i1 {condition}, label %{then}, label %{after}")
        self.block(then)
        self._scopes.append({})
        yield
        self._scopes.pop()
        self.branch(after)
        self.block(after)

    @contextmanager
    def otherwise(self) -> Iterator[None]:
        """Directly after `where`: what follows runs only where its condition did not hold."""
        after = Label(self._lines.pop()[:-1])
        done = self.label("after")
        assert self._lines[-1] == f"  br label %{after}"
        self._lines[-1] = f"  br label %{done}"
        self.block(after)
        self._scopes.append({})
        yield
        self._scopes.pop()
        self.branch(done)
        self.block(done)

    @contextmanager
    def switch(self, operand: Word, values: Sequence[int]) -> Iterator[Iterator[int]]:
        """One block for each value: iterate over what is yielded and write the block of each value in turn."""
        labels = {value: self.label("case") for value in values}
        after = self.label("after")
        cases = " ".join(f"i64 {value}, label %{label}" for value, label in labels.items())
        self._emit(f"switch i64 {operand}, label %{after} [{cases}]")

        def blocks() -> Iterator[int]:
            for value, label in labels.items():
                self.block(label)
                self._scopes.append({})
                yield value
                self._scopes.pop()
                self.branch(after)

        yield blocks()
        self.block(after)

    @contextmanager
    def loop(self) -> Iterator[tuple[Label, Label]]:
        """An endless loop; yields the labels to go on with and to leave it by."""
        head, tail = self.label("loop"), self.label("done")
        self.branch(head)
        self.block(head)
        self._scopes.append({})
        yield head, tail
        self._scopes.pop()
        self.branch(head)
        self.block(tail)

    # -- what is computed already ---------------------------------------------------------------------------------

    def known(self, key: object) -> Word | Bit | None:
        """The register that holds what `key` stands for, if it has been computed where we are."""
        for scope in reversed(self._scopes):
            if key in scope:
                return scope[key]
        return None

    def remember(self, key: object, register: Word | Bit) -> None:
        """Note that a register holds what `key` stands for."""
        self._scopes[-1][key] = register

    def text(self) -> str:
        """The finished function."""
        return "\n".join([*self._head, *self._lines, "}", ""])
