"""Ways in which a specification depends on something, each with two states: in the first `low` holds, in the second
it is violated.
"""

from __future__ import annotations

import importlib
import os
import pickle
import py_compile
import sqlite3
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

RULES = '''
from typing import Annotated
from epochal.language import Integers, Protocol, action, invariant, lemma, require


class P(Protocol):
    """A counter."""

    a: Annotated[int, Integers(0, 9)]

    @action
    def inc(self) -> None:
        require(self.a < STOP)
        self.a += 1

    @invariant
    def low(self) -> bool:
        return self.a <= 3

    @lemma
    def lowest(self) -> bool:
        return self.a <= 3
'''
TIME = 1.7e9


def text(name: str, content: str | bytes) -> Path:
    """A file whose size and times say nothing of its content."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    os.utime(path, (TIME, TIME))
    return path


def stop(name: str = "stop.txt", form: str = "{}\n") -> Callable[[int], object]:
    """A file that says where to stop."""
    return lambda value: text(name, form.format(value))


def module(name: str = "limits.py") -> Callable[[int], object]:
    return stop(name, "STOP = {}\n")


def environment(value: int) -> None:
    os.environ["EPOCHAL_TEST_STOP"] = str(value)


def database(value: int) -> None:
    Path("stop.db").unlink(missing_ok=True)
    with sqlite3.connect("stop.db") as made:
        made.execute("create table t(v)")
        made.execute("insert into t values (?)", (value,))
    made.close()


def archive(value: int) -> None:
    with zipfile.ZipFile("limits.zip", "w") as made:
        made.writestr("zipped_limits.py", f"STOP = {value}\n")
    importlib.invalidate_caches()
    sys.path_importer_cache.clear()


def compiled(value: int) -> None:
    """A file that was compiled, with a time and a size that say nothing."""
    module()(value)
    Path("__pycache__").mkdir(exist_ok=True)
    py_compile.compile("limits.py", invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)


def listing(value: int) -> None:
    for number in range(9):
        if number < value:
            Path(f"{number}.node").touch()


def link(value: int) -> None:
    for one in (3, 5):
        text(f"stop{one}.txt", str(one))
    Path("stop.txt").unlink(missing_ok=True)
    Path("stop.txt").symlink_to(f"stop{value}.txt")


def swapped(low: str, high: str, form: str) -> Callable[[int], object]:
    def write(value: int) -> None:
        first, second = ("1", "2") if value == 3 else ("2", "1")
        text(low, form.format(first))
        text(high, form.format(second))

    return write


def files(**contents: str) -> Callable[[int], object]:
    """Some files, in whose texts the value is put; `p_py` is p.py."""
    return lambda value: [text(name.replace("_py", ".py"), some.format(value)) for name, some in contents.items()]


def rules(change: Callable[[str], str]) -> Callable[[int], object]:
    """The file of the specification itself is edited, and keeps its time."""
    return lambda value: text("p.py", "STOP = 3\n" + (RULES if value == 3 else change(RULES)))


class Row(NamedTuple):
    """What stands before the rules, and what brings a state about. `whole`: it writes p.py itself."""

    head: str
    put: Callable[[int], object]
    whole: bool = False


READ = "STOP = int({}.strip())\n"
INIT = (
    RULES.replace(
        "    @action",
        """    def __init__(self, *args) -> None:
        super().__init__(*args)
        type(self).STOP = int(open("stop.txt").read())

    @action""",
        1,
    )
    .replace("a < STOP", "a < self.STOP")
    .replace("    a: Ann", "    STOP = 9\n    a: Ann")
)
PACKAGE = "import sys\nsys.path.insert(0, 'lib/site-packages')\nfrom corp import STOP\nsys.path.pop(0)\n"
THREAD = (
    "import threading\ndef read():\n    global STOP\n    STOP = int(open('stop.txt').read())\n"
    "t = threading.Thread(target=read)\nt.start()\nt.join()\n"
)
IMPORTED = (
    "import importlib.util\ns = importlib.util.spec_from_file_location('limits', 'limits.py')\n"
    "m = importlib.util.module_from_spec(s)\ns.loader.exec_module(m)\nSTOP = m.STOP\n"
)
BASE = (
    "from epochal.language import Protocol\n\n\nclass Base(Protocol):\n    def stop(self) -> int:\n        return {}\n"
)
ON_BASE = "from based import Base\n" + RULES.replace("P(Protocol)", "P(Base)").replace("< STOP", "< self.stop()")
DEEP = "from middle import Base\n" + RULES.replace("P(Protocol)", "P(Base)").replace("< STOP", "< self.stop()")
MIXIN = "from based import Base\n" + RULES.replace("P(Protocol)", "P(Base, Protocol)").replace(
    "< STOP", "< self.stop()"
)
SEVEN = "    def initial(self) -> None:\n        self.a = 7\n\n    @action"
JUMP = "    @action\n    def jump(self) -> None:\n        self.a = 8\n\n    @inv"
MIDDLE = "import based\n\n\nclass Base(based.Base):\n    pass\n"
CALLED = "from limits import stop\n" + RULES.replace("< STOP", "< stop()")
ENUMERATED = "from limits import Kind\n" + RULES.replace("    @action", "    kind: Kind\n\n    @action", 1).replace(
    "self.a < STOP", "self.a < len(Kind)"
)
ROWS = {
    "an environment variable": Row('import os\nSTOP = int(os.environ["EPOCHAL_TEST_STOP"])\n', environment),
    "expandvars": Row('import os\nSTOP = int(os.path.expandvars("$EPOCHAL_TEST_STOP"))\n', environment),
    "a file": Row(READ.format('open("stop.txt").read()'), stop()),
    "a path as bytes": Row(READ.format('open(b"stop.txt").read()'), stop()),
    "a file by its number": Row(READ.format('__import__("os").read(__import__("os").open("stop.txt", 0), 9)'), stop()),
    "a file through pathlib": Row(READ.format('__import__("pathlib").Path("stop.txt").read_text()'), stop()),
    "a file through mmap": Row(
        'import mmap\nwith open("stop.txt") as f:\n    STOP = int(mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)[:1])\n',
        stop(),
    ),
    "a file read by the protocol's __init__": Row("", lambda value: (text("p.py", INIT), stop()(value))[1], whole=True),
    "a file read by a thread": Row(THREAD, stop()),
    "a file read by another program": Row(
        'import subprocess\nSTOP = int(subprocess.check_output(["cat", "stop.txt"]))\n', stop()
    ),
    "a file read by a shell": Row('import os\nSTOP = int(os.popen("cat stop.txt").read())\n', stop()),
    "a link": Row(READ.format('open("stop.txt").read()'), link),
    "json": Row('import json\nSTOP = json.load(open("stop.json"))["stop"]\n', stop("stop.json", '{{"stop": {}}}')),
    "configparser": Row(
        'import configparser\nc = configparser.ConfigParser()\nc.read("stop.ini")\nSTOP = c.getint("a", "stop")\n',
        stop("stop.ini", "[a]\nstop = {}\n"),
    ),
    "pickle": Row(
        'import pickle\nSTOP = pickle.load(open("stop.bin", "rb"))\n',
        lambda value: text("stop.bin", pickle.dumps(value)),
    ),
    "sqlite": Row(
        'import sqlite3\nc = sqlite3.connect("stop.db")\n(STOP,) = next(c.execute("select v from t"))\nc.close()\n',
        database,
    ),
    "the names in a folder": Row('import os\nSTOP = len([f for f in os.listdir() if f.endswith(".node")])\n', listing),
    "glob": Row('import glob\nSTOP = len(glob.glob("*.node"))\n', listing),
    "whether a file is there": Row('import os\nSTOP = 5 if os.path.exists("4.node") else 3\n', listing),
    "the size of a file": Row(
        'import os\nSTOP = os.stat("stop.txt").st_size\n', lambda value: text("stop.txt", "x" * value)
    ),
    "the mode of a file": Row(
        'import os\nSTOP = os.stat("stop.txt").st_mode & 7\n',
        lambda value: text("stop.txt", "").chmod(0o600 + value),
    ),
    "the time of a file": Row(
        'import os\nSTOP = int(os.stat("stop.txt").st_mtime)\n',
        lambda value: os.utime(text("stop.txt", ""), (value, value)),
    ),
    "exec of a text": Row('from pathlib import Path\nexec(Path("limits.py").read_text())\n', module()),
    "exec of a code": Row('exec(compile(open("limits.py").read(), "limits.py", "exec"))\n', module()),
    "eval": Row('STOP = eval(open("stop.txt").read())\n', stop()),
    "runpy": Row('import runpy\nSTOP = runpy.run_path("limits.py")["STOP"]\n', module()),
    "a module that is in no list": Row(IMPORTED, module()),
    "a module made by hand": Row(
        'import types\nm = types.ModuleType("m")\nexec(open("limits.py").read(), vars(m))\nSTOP = m.STOP\n', module()
    ),
    "a module": Row("from limits import STOP\n", module()),
    "a module that was compiled": Row("from limits import STOP\n", compiled),
    "a module in an archive": Row(
        "import sys\nsys.path.insert(0, 'limits.zip')\nfrom zipped_limits import STOP\nsys.path.pop(0)\n", archive
    ),
    "a module of a package": Row("from pack.limits import STOP\n", module("pack/limits.py")),
    "a resource of a package": Row(
        'from importlib.resources import files\nimport pack\nSTOP = int((files(pack) / "stop.txt").read_text())\n',
        lambda value: (text("pack/__init__.py", ""), stop("pack/stop.txt")(value))[1],
    ),
    "an installed package": Row(PACKAGE, module("lib/site-packages/corp.py")),
    "a module that sets a name of another": Row(
        "import limits\nimport sets\nSTOP = limits.STOP\n",
        files(limits_py="STOP = 0\n", sets_py="import limits\nlimits.STOP = {}\n"),
    ),
    "two files that change places": Row(
        'STOP = 3 if int(open("low.txt").read()) < int(open("high.txt").read()) else 5\n',
        swapped("low.txt", "high.txt", "{}"),
    ),
    "two modules that change places": Row(
        "from lo import V as LO\nfrom hi import V as HI\nSTOP = 3 if LO < HI else 5\n",
        swapped("lo.py", "hi.py", "V = {}\n"),
    ),
    "a function of a module": Row("", files(p_py=CALLED, limits_py="def stop():\n    return {}\n"), whole=True),
    "a base class": Row("", files(p_py=ON_BASE, based_py=BASE), whole=True),
    "a base of a base": Row("", files(p_py=DEEP, middle_py=MIDDLE, based_py=BASE), whole=True),
    "a mixin": Row("", files(p_py=MIXIN, based_py=BASE.replace("(Protocol)", "")), whole=True),
    "the values of an enumeration": Row(
        "",
        lambda value: (
            text("p.py", ENUMERATED),
            text("limits.py", "from enum import Enum\nKind = Enum('Kind', 'a b c{}')\n".format(" d e" * (value == 5))),
        )[1],
        whole=True,
    ),
    "a constant of the file": Row("", rules(lambda text: text.replace("< STOP", "< 5   ")), whole=True),
    "another guard": Row("", rules(lambda text: text.replace("a < STOP", "a < 6   ")), whole=True),
    "another effect": Row("", rules(lambda text: text.replace("+= 1", "+= 2")), whole=True),
    "another property": Row("", rules(lambda text: text.replace("a <= 3", "a <= 2")), whole=True),
    "another first state": Row("", rules(lambda text: text.replace("    @action", SEVEN, 1)), whole=True),
    "an action more": Row("", rules(lambda text: text.replace("    @inv", JUMP, 1)), whole=True),
    "a hook of a class": Row(
        "class Hook:\n    def __init_subclass__(cls) -> None:\n        cls.STOP = int(open('stop.txt').read())\n"
        + RULES.replace("P(Protocol)", "P(Hook, Protocol)").replace("a < STOP", "a < self.STOP"),
        stop(),
    ),
}
