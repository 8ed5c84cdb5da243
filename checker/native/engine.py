"""A model as machine code: steps, results and the search kernel, ready to call."""

from __future__ import annotations

import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO, Literal

from ..base.processes import Background, deaf_to_interrupts, python_running
from ..ir.layout import instance_constant
from ..ir.model import Model
from ..symmetry.canonical import CanonicalForm
from .kernel.kernel import Shape, kernel_text
from .llvm.jit import Compiler, MachineCode, recipe_of
from .program.eight import eight_steps_text, eight_text
from .program.program import program_text

# -- background -------------------------------------------------------------------------------------------------------
# Machine code that is made while something else goes on, by a thread or by a process beside this one.

APART = "epochal.checker.native.llvm.jit"
"""The module that a process beside this one runs."""


class BackgroundCode:
    """The code of a module, optimised by LLVM as asked, by a thread. If it is in the cache, or given, it is there at
    once."""

    def __init__(self, compiler: Compiler, text: str, level: int, passes: bool, made: bytes | None = None) -> None:
        self.text = text
        self._compiler, self._level, self._passes = compiler, level, passes
        self._made = compiler.kept(text, level, passes) if made is None else made
        self._begun = self._made is not None
        self._work: Background[bytes] | None = None

    def begin(self, wait: bool = False) -> None:
        """Begin to compile it, once; with `wait`, until it is there."""
        if not self._begun:
            self._begun = True
            self._start()
        if wait:
            self._wait()

    def taken(self) -> MachineCode | None:
        """The code, once, when it is there. Raises RuntimeError if it cannot be compiled."""
        self._take()
        made, self._made = self._made, None
        return None if made is None else self._compiler.load(made)

    def _start(self) -> None:
        self._work = Background("optimise", self._compile, daemon=False)

    def _compile(self) -> bytes:
        return self._compiler.compile_and_keep(self.text, self._level, self._passes)

    def _wait(self) -> None:
        if self._work is not None:
            self._work.join()

    def _take(self) -> None:
        """Have the code at hand if it is there."""
        if self._work is not None and self._work.over:
            self._made, self._work = self._work.result(), None


class CodeApart(BackgroundCode):
    """Likewise, made by a process beside this one: LLVM can be asked for other things, and no end waits for it.

    It is a luxury: where the system does not allow the process, or ends it for want of memory, there is no such code.
    """

    def __init__(self, compiler: Compiler, text: str, level: int, passes: bool) -> None:
        super().__init__(compiler, text, level, passes)
        self._process: subprocess.Popen[bytes] | None = None
        self._files = ExitStack()

    def _start(self) -> None:
        try:
            given, self._code, self._said = self._file(), self._file(), self._file()
            given.write(self.text.encode())
            given.seek(0)
            command = python_running(APART, str(self._level), str(int(self._passes)))
            with deaf_to_interrupts():
                self._process = subprocess.Popen(command, stdin=given, stdout=self._code, stderr=self._said)
        except OSError:
            self.close()

    def _file(self) -> IO[bytes]:
        """A file without a name, until this is closed."""
        return self._files.enter_context(tempfile.TemporaryFile())

    def _wait(self) -> None:
        if self._process is not None:
            self._process.wait()

    def _take(self) -> None:
        if self._process is not None and self._process.poll() is not None:
            code, said = _content(self._code), _content(self._said)
            status = self._process.returncode
            self.close()
            if status > 0:
                raise RuntimeError(f"LLVM's passes failed: {said.decode(errors='replace').strip()}")
            self._made = code if status == 0 else None

    def let_go(self) -> None:
        """Have no use for the code now. A process that is at work goes on, keeps it for the next time, and ends."""
        if self._process is not None:
            threading.Thread(target=self._process.wait, name="reap", daemon=True).start()
            self._process = None
        self._files.close()

    def close(self) -> None:
        """End the process, if it is at work."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        self._files.close()


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


OPTIMISED_INSTANCES = 1_000
PROGRAM_LEVEL = 2
PASSES_BYTES = 100
"""The memory that LLVM's passes take for each byte of text, at most."""

PASSES_FROM = 1 << 19
"""The bytes of text from which on LLVM's passes pay: what is written for a small program is as good without them."""
LARGE = 1 << 20
"""The bytes of text of a program for which writing the steps of eight states takes a search a tenth of a second."""
KERNEL_LEVEL = 2
Kind = Literal["properties", "steps"]
"""A kind of code for eight states at once, in the names of recipes."""
KINDS: tuple[Kind, Kind] = ("properties", "steps")
PROPERTIES, STEPS = KINDS


@dataclass(frozen=True)
class SearchCode:
    """What workers need of a model: the size of its states in `words`, the greatest number of entries that one state
    can add to the successor buffer, the constant of each instance for the digest of steps, and steps and results as
    machine code; if it is `symmetric`, that has `canonical(state)`."""

    words: int
    out_degree: int
    constants: Sequence[int]
    program: MachineCode
    symmetric: bool = False


class NativeModel:
    """The compiled code of a model.

    If optimised code of the same model is in the cache, it is used at once. Else the code starts unoptimised, which
    takes hundredths of a second, and `optimise` has better code compiled in the background. With a form it has
    `canonical(state)` too. `text` is that of the model, if somebody has it already; with
    `keep` the unoptimised code is kept as well, for a search that ends before there is better code. `recipes` are what
    `recipes_for_eight` has said before.
    """

    def __init__(
        self,
        model: Model,
        compiler: Compiler | None = None,
        form: CanonicalForm | None = None,
        text: str | None = None,
        keep: bool = False,
        recipes: Mapping[str, str] | None = None,
    ) -> None:
        self.recipes = recipes or {}
        self.model, self.form = model, form
        self.compiler = compiler or Compiler()
        self.text = program_text(model, form) if text is None else text
        self._better = BackgroundCode(self.compiler, self.text, PROGRAM_LEVEL, False)
        self._best: CodeApart | None = None
        if len(self.text) >= PASSES_FROM:
            self._best = CodeApart(self.compiler, self.text, PROGRAM_LEVEL, True)
        self._texts_for_eight: dict[tuple[Kind, int], str | None] = {}
        self._settled = False
        compiled = self.compiler.compile_and_keep if keep else self.compiler.compile
        self.program = self.renewed() or self.compiler.load(compiled(self.text, 0, False))

    @property
    def words(self) -> int:
        """The size of a state."""
        return self.model.layout.words

    @property
    def code(self) -> SearchCode:
        """What workers need of it, with the code that there is now."""
        return SearchCode(
            self.words, out_degree(self.model), constants(self.model), self.program, self.form is not None
        )

    def optimise(self, wait: bool = False) -> None:
        """Begin to compile better code in the background, once; with `wait`, until it is there.

        Code of very many steps stays as it is: LLVM's time grows with their square, and while it works nobody else can
        ask it for anything.
        """
        if self._settled or len(self.model.instances) > OPTIMISED_INSTANCES:
            return
        self._better.begin(wait)

    def renewed(self) -> MachineCode | None:
        """Better code, once, when it is there."""
        renewed = self._best.taken() if self._best is not None else None
        if renewed is not None:
            self._settled = True
        elif not self._settled:
            renewed = self._better.taken()
        if renewed is not None:
            self.program = renewed
        return renewed

    def optimise_thoroughly(self, wait: bool = False) -> None:
        """Begin to compile the best code of a large program beside this process; with `wait`, until it is there."""
        if self._best is not None and len(self.model.instances) <= OPTIMISED_INSTANCES:
            self._best.begin(wait)

    @property
    def large(self) -> bool:
        """Whether it takes long to write more text for it."""
        return len(self.text) >= LARGE

    @property
    def thorough_bytes(self) -> int:
        """The memory that it takes meanwhile."""
        return PASSES_BYTES * len(self.text)

    def close(self) -> None:
        """Compile no more."""
        if self._best is not None:
            self._best.close()

    def for_eight(self, kind: Kind, asked: int) -> BackgroundCode | None:
        """Code that evaluates the properties with these bits on eight states at once, or takes their steps with them;
        None if they are too large.

        The steps of a large program are compiled beside this process, so that no end waits for them.
        """
        text = self._text_for_eight(kind, asked)
        if text is None:
            return None
        made_by = CodeApart if kind == STEPS and self.large else BackgroundCode
        return made_by(self.compiler, text, PROGRAM_LEVEL, _has_passes(kind, text))

    def kept_for_eight(self, kind: Kind, asked: int) -> BackgroundCode | None:
        """Likewise, if the code is in the cache and the recipe is known, so that no text has to be written for it."""
        recipe = self.recipes.get(f"{kind} {asked}")
        made = None if recipe is None else self.compiler.kept_by(recipe)
        return None if made is None else BackgroundCode(self.compiler, "", PROGRAM_LEVEL, True, made)

    def _text_for_eight(self, kind: Kind, asked: int) -> str | None:
        if (kind, asked) not in self._texts_for_eight:
            write = eight_text if kind == PROPERTIES else eight_steps_text
            self._texts_for_eight[kind, asked] = write(self.model, asked, self.words + 1)
        return self._texts_for_eight[kind, asked]

    def recipes_for_eight(self, asked: int, write: bool) -> dict[str, str]:
        """The recipes of the code for eight states at once, by its kind and the bits; none of what is too large.

        They are those of before and of the texts that were written for these bits. With `write` what was not needed is
        written now, but not the steps of a large program.
        """
        recipes = dict(self.recipes)
        for kind in KINDS:
            if (kind, asked) not in self._texts_for_eight and (not write or (kind == STEPS and self.large)):
                continue
            if (text := self._text_for_eight(kind, asked)) is not None:
                recipes[f"{kind} {asked}"] = recipe_of(text, PROGRAM_LEVEL, _has_passes(kind, text))
        return recipes


def _has_passes(kind: Kind, text: str) -> bool:
    """Whether LLVM's passes make code for eight states: steps are faster with them, and what is not long takes little
    time."""
    return kind == STEPS and len(text) < PASSES_FROM


def out_degree(model: Model) -> int:
    """The greatest number of entries that one state can add to the successor buffer."""
    return sum(1 + len(compiled.failures) for compiled in model.instances)


def load_kernel(compiler: Compiler, shape: Shape) -> MachineCode:
    """The search kernel for searches of this shape."""
    return compiler.load(compiler.compile_and_keep(kernel_text(shape), KERNEL_LEVEL, True))


def constants(model: Model) -> tuple[int, ...]:
    """The constants of the instances for the digest of steps."""
    return tuple(instance_constant(compiled.instance) for compiled in model.instances)
