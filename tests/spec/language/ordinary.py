"""What people write who know Python and not this language: small programs by what they use, and those that are refused.

Each is the body of an action with the parameters `v`, from 0 to 3, and `on`. `!` before a program says that it is
refused, with a piece of the message after it.
"""

from __future__ import annotations

from tests.spec.language.queues import QUEUES

JUMPS = """
for i in range(3):
    if i == self.n:
        break
    self.n = i
===
for i in range(4):
    if i == self.n:
        continue
    self.table[self.node] = i
===
for i in range(3):
    if self.n == i:
        self.flag = on
        return
self.n = 3
===
for i in range(self.n):
    self.n = i
else:
    self.n = 3
===
for i in range(4):
    if i > 1 and i == v:
        self.n = i
        break
else:
    self.flag = on
===
for e in self.log:
    if e == v:
        break
    self.n = e
===
for n in self.table:
    for e in self.log:
        if e == self.table[n]:
            self.n = e
            break
    else:
        continue
    break
===
for n in self.table:
    if self.table[n] == v:
        self.node = n
        return
===
total = 0
for e in self.log:
    if e == 0:
        continue
    total += e
    if total > 2:
        break
self.n = min(total, 3)
===
found = None
for i, e in enumerate(self.log):
    if e == v:
        found = i
        break
self.maybe = found
===
for e in (x for x in self.log if x > 0):
    if e > 1:
        self.n = e
        return
===
for i in range(3):
    if on:
        if i == 1:
            continue
        self.n = i
    else:
        break
===
i = 0
while i < self.n:
    i += 1
self.n = i
===
i = self.n
while i > 0:
    i -= 1
    if i == v:
        break
else:
    self.flag = on
self.n = i
===
while self.n > 0:
    self.n -= 1
===
i = 0
while True:
    if i >= self.n:
        break
    i += 1
self.n = i
===
i, count = 3, 0
while i > 0:
    i -= 1
    if i == self.n:
        continue
    count += 1
self.n = count
===
while len(self.log) > 0:
    self.log.truncate(len(self.log) - 1)
===
i = 0
while i < 3:
    if self.n == i:
        self.flag = on
        return
    i += 1
===
!after 32 rounds the condition of this while may still be true
i = self.n
while i != 100:
    i = i if self.flag else i + 1
self.n = v
===
!the loops of this rule go round more than 100,000 times
while True:
    pass
"""

NUMBERS = """
self.n = self.flag + on
===
self.n = 3 - (self.n > 1) - on
===
self.n = self.flag * 2 + (not on)
===
self.flag = self.flag ^ on
===
self.flag = self.flag & (v > 1)
===
self.flag = (v > 1) | self.flag
===
self.flag = self.flag < on
===
self.flag = self.flag <= (self.n > 1)
===
self.flag = min(self.flag, on)
===
self.flag = max(self.flag, on, v > 2)
===
self.flag = max([self.n > 1, on], default=False)
===
self.n = -self.flag + 1
===
self.n = abs(-on)
===
self.n = +self.flag
===
self.n = ~self.n + 4
===
self.n = self.n & v
===
self.n = self.n & 2 | 1
===
self.n = self.n | v
===
self.n = self.n ^ v
===
self.n = (self.n << 1) % 4
===
self.n = (1 << self.n) // 3
===
self.n = 3 >> self.n
===
self.n = self.n >> 1
===
self.n = (v - 2) >> 1 & 3
===
self.n = (v - 3) & 1
===
self.n = self.n ** 2 % 4
===
self.n = 2 ** self.n // 3
===
self.n = pow(self.n, v) % 4
===
self.n = abs(self.n // -2)
===
self.n = abs(self.n % -3)
===
self.n = -(v - 3) % 4
===
require(self.n > 0)
self.n = 3 // self.n
===
self.n = v % (self.n + 1)
===
q, r = divmod(self.n, 2)
self.n = q + r
===
q, r = divmod(self.n, -2)
self.n = r - q
===
self.n = int(self.flag) + int(on)
===
self.n = sum(1 for n in self.table if self.table[n] > 1)
===
self.n = sum([self.flag, on])
===
self.flag = self.flag is True
===
self.flag = (v > 1) is not on
===
self.flag = self.n is True
===
self.flag = self.flag is self.point.on
===
self.flag = self.color is Color.RED
===
self.flag = self.maybe is True
===
self.flag = True & self.flag
===
x = self.n
x += self.flag
self.n = min(x, 3)
===
self.n |= 1
===
self.n &= v
===
self.n ^= 1
===
self.n <<= self.n == 1
===
self.flag |= on
===
self.flag = 0 < self.n <= v != 2
===
!this operator is not defined for an integer
self.n = self.n / 2
===
!a power whose exponent may be negative is no integer
self.n = 2 ** (self.n - v)
===
!a value can exceed 62 bits
self.n = min(3, 3 ** (self.n * 20))
"""

ORDER = """
self.flag = (self.n, v) < (v, self.n)
===
self.flag = (self.n, on) >= (v, self.flag)
===
self.flag = (self.node, self.n) == (self.node, v) and (self.node, self.n) <= (self.node, v)
===
self.flag = [self.n, 1] < [v, 2, 3]
===
self.flag = (1, (self.n, v)) > (1, (v, 2))
===
self.flag = self.point < Point(x=v, on=on)
===
self.flag = max(self.point, Point(x=v, on=on)).on
===
self.n = max((self.n, 1), (v, 2))[0]
===
self.n = min((v, self.n), (self.n, v), (1, 1))[1]
===
x = max((e for e in self.log if e > 1), default=None)
self.maybe = x
===
self.n = max(self.log, key=lambda e: -e, default=2)
===
self.n = min((1, 2, self.n), key=lambda e: abs(e - v))
===
self.node = max(self.table, key=lambda n: self.table[n])
===
self.node = min(self.table, key=lambda n: self.table[n] > v) if on else max(self.table, key=lambda n: -self.table[n])
===
self.n = sorted([self.n, v, 1])[0]
===
self.n = sorted(self.log, reverse=True)[0] if self.log else 0
===
self.log = sorted(self.log)
===
self.node = sorted(self.table, key=lambda n: (self.table[n], n == self.node))[0]
===
self.n = sorted({1, 2, self.n})[0]
===
self.n = sorted([3, 1, 2], key=lambda x: -x)[0]
===
first, *others = sorted([self.n, v, 2])
self.n = others[-1]
===
self.n = max(e for e in (self.n, v))
===
self.flag = max(self.points, key=lambda p: p.x, default=self.point).on
===
!this operator is not defined for a value of n1..n2
self.flag = (self.node, 1) < (self.member(Node, 0), self.n)
===
!max chooses among numbers, and one of these is a truth value
self.n = max(self.flag, 1)
"""

ENTRIES = """
self.n = [3, 2, 1, 0][self.n]
===
self.n = (0, 3)[self.flag]
===
self.n = (3, 2, 1, 0)[-1 - self.n]
===
self.n = {0: 3, 1: 2, 2: 1, 3: 0}[self.n]
===
self.n = {Color.RED: 1, Color.BLUE: 2}[self.color]
===
self.n = {(0, True): 1}.get((self.n, self.flag), v)
===
self.n = {0: 3, 1: 2}.get(self.n, 1)
===
self.maybe = {0: 3, 1: 2}.get(self.n)
===
self.n = {0: self.n, 1: 2}.get(v, self.n)
===
self.n = {"low": 0, "high": self.n}.get("high", v)
===
self.n = len({0: 1, 1: 2, **{2: self.n}})
===
table = {Color.RED: (1, 2), Color.BLUE: (3, 0)}
a, b = table[self.color]
self.n = a if on else b
===
order = [Color.RED, Color.BLUE]
self.color = order[(order.index(self.color) + 1) % 2]
===
self.flag = "low" in {"low": 1}
===
self.n = {True: 1, False: 2}[self.flag]
===
self.n = [3, 2, 1, 0].index(self.n)
===
self.n = (self.n, v, 2).index(2)
===
self.n = (self.n, v, 2).count(2)
===
self.n = [self.n, v].count(v)
===
self.n = self.log.count(v)
===
if v in self.log:
    self.n = self.log.index(v)
===
self.n = [self.n, v, 1][1:][0]
===
self.log = self.log[1:]
===
self.log = self.log[:1]
===
self.log = self.log[::-1]
===
self.log = self.log[:-1] + [v] if self.log else [v]
===
self.log = [v, *self.log][:2]
===
self.log = self.log[v:]
===
self.log = list(reversed(self.log))
===
self.n = [e for e in reversed((self.n, v, 1))][0]
===
self.n = [self.n, v, 2, 1][-2:][0]
===
self.n = list(self.log)[-1] if self.log else 0
===
entries = [e for e in self.log if e > 0]
self.n = entries[0] if entries else 0
===
entries = [e for e in self.log if e > 0]
self.n = entries[-1] if len(entries) > 0 else 0
===
x, *y = (self.n, 1, 2)
self.n = y[0]
===
*x, y = [self.n, v, 2]
self.n = x[1]
===
self.n = max(*(1, 2), self.n)
===
self.n = min(*[self.n, v])
===
both = (*(self.n, 1), v)
self.n = both[2]
===
self.numbers = {*self.numbers, v}
===
self.n = len([*self.log, 1])
===
d = {i: i + 1 for i in range(3)}
self.n = d[1]
===
self.table = {n: v for n in self.table}
===
d = {n: self.table[n] for n in self.table}
self.n = d[self.node]
===
limits = {"low": 0, "high": v}
self.n = limits["high"]
===
d = {"a": self.n, **{"b": v}}
self.n = d["b"]
===
self.n = self.helper(**{"value": v})
===
self.n = self.helper(*[v])
===
self.n = [[0, 1], [2, 3]][self.flag][on]
===
rows = [(1, "a"), (2, "b")]
self.n = rows[self.flag][0]
===
self.n = range(4)[self.n]
===
self.n = list(range(4))[::-1][self.n]
===
self.n = list(zip(self.log, (1, 2)))[0][1] if self.log else 0
===
self.n = [self.n, v][on]
===
steps = [(0, 1), (1, 0)]
dx, dy = steps[self.flag]
self.n = dx + 2 * dy
===
!a dictionary whose keys depend on the state
d = {self.n: 1 for i in range(1)}
===
!a Python dictionary or set cannot be searched
d = {self.n: 1}
===
!the number of these arguments or elements depends on the state
self.n = max(*self.log)
===
!the step of a slice depends on the state
self.log = self.log[:: self.n]
"""

FUNCTIONS = """
g = lambda x: x + 1
self.n = min(3, g(self.n))
===
g = lambda: self.n
self.n = 3 - g()
===
def g(x):
    return min(3, x + 1)
self.n = g(self.n)
===
def g(x: int, by: int = 1) -> int:
    if x > 2:
        return 0
    return x + by
self.n = g(self.n) if on else g(0, by=v)
===
def twice(f, x):
    return f(f(x))
self.n = min(3, twice(lambda x: x + v, 0))
===
def first(wanted):
    for n in self.table:
        if self.table[n] == wanted:
            return n
    return self.node
self.node = first(v)
===
def put(x):
    self.log.append(x)
if len(self.log) < 2:
    put(v)
===
add = lambda x, y=v: (x + y) % 4
self.n = add(self.n)
===
x = 1
g = lambda: x
x = v
self.n = g()
===
fs = [lambda x: x, lambda x: 3 - x]
self.n = fs[on](self.n)
===
pick = max if on else min
self.n = pick(self.n, v)
===
self.n = sum(map(lambda e: e % 2, self.log))
===
self.n = len(list(filter(lambda e: e > 0, self.log)))
===
self.n = next(filter(lambda e: e == v, self.log), 0)
===
self.log = list(map(lambda e: 3 - e, self.log))
===
if (y := self.n + 1) < 3:
    self.n = y
===
if on and (y := self.n + 1) < 3:
    self.n = y
===
y = 2
if on and (y := self.n) > 1:
    self.flag = False
self.n = y
===
self.n = (y := v) + (3 - y) * (y > 3)
===
while (y := self.n) > 1:
    self.n = y - 1
===
self.n = min(3, (a := v) + a)
===
self.flag = (m := self.maybe) is not None and m > 1
===
self.flag = f"x{1}" == "x1"
===
which = "low" if self.n < 2 else "high"
self.n = 3 if which == "low" else 0
===
which = "low"
if self.flag:
    which = "high"
self.n = {"low": 0, "high": 3}[which]
===
def most(*xs):
    return max(xs)
self.n = most(self.n, v, 1)
===
def named(**ks):
    return ks["a"]
self.n = named(a=v)
===
total = 0
def add(x):
    return total + x
for e in self.log:
    total = add(e)
self.n = min(total, 3)
===
!a text is made of a value of the state
self.flag = f"x{self.n}" == "x1"
===
!a variable is read that is not assigned on every path
if on and (y := self.n) > 1:
    self.flag = False
self.n = y
===
!nonlocal
total = 0
def add(x):
    nonlocal total
    total += x
add(v)
===
!rules call each other without end
def down(x):
    return 0 if x == 0 else down(x - 1)
self.n = down(self.n)
===
!:= inside a comprehension or a lambda
self.flag = any((y := e) > 1 for e in self.log)
===
!cannot be stored
self.n = lambda: 1
===
!a decorator inside a rule
@staticmethod
def g():
    return 1
self.n = g()
"""

MATCHES = """
match self.n:
    case 0:
        self.n = 1
    case _:
        self.n = 2
===
match self.n:
    case 0 | 3:
        self.n = 1
    case 1:
        self.n = 2
===
match self.color:
    case Color.RED:
        self.color = Color.BLUE
    case Color.BLUE:
        self.color = Color.RED
===
match self.maybe:
    case None:
        self.n = 0
    case x:
        self.n = x
===
match self.maybe:
    case None:
        self.n = 0
    case x if x > 1:
        self.n = 3 - x
    case x:
        self.n = x
===
match self.flag:
    case True:
        self.n = 1
    case False:
        self.n = 2
===
match self.point:
    case Point(x=0):
        self.n = 3
    case Point(x=x, on=True):
        self.n = x
    case Point(on=False):
        self.n = 1
===
match self.point:
    case Point(0, on):
        self.flag = not on
    case Point(x, _):
        self.n = x
===
match (self.n, self.flag):
    case (0, True):
        self.n = 1
    case (x, False):
        self.n = 3 - x
    case _:
        self.n = 2
===
match [self.n, v, 1]:
    case [0, *rest]:
        self.n = rest[0]
    case [*_, last]:
        self.n = last
===
match [e for e in self.log if e > 0]:
    case []:
        self.n = 0
    case [x]:
        self.n = x
    case [x, y]:
        self.n = min(x, y)
===
match self.optional:
    case None:
        self.optional = Point(x=v, on=on)
    case Point(x=x):
        self.n = x
        self.optional = None
===
match self.n:
    case int(x):
        self.n = 3 - x
===
for e in self.log:
    match e:
        case 0:
            continue
        case 3:
            break
        case other:
            self.n = other
===
def name(n):
    match n:
        case 0:
            return 3
        case 1 | 2:
            return 1
    return 0
self.n = name(self.n)
===
self.n = 1 if isinstance(self.optional, Point) else 2
===
match v:
    case 1 if self.n > 1 and on:
        self.n = 0
    case 1:
        self.n = 3
===
for x in {0, 1}:
    self.table[self.member(Node, x)] = v
===
total = 0
for x in {1, 2, v}:
    total += x
self.n = total % 4
===
for n in {self.member(Node, 0), self.node}:
    if self.table[n] == v:
        self.flag = True
===
for x in {1, 2}:
    self.numbers = self.numbers | {x}
===
found = False
for x in {1, v}:
    if x == self.n:
        found = True
        break
self.flag = found
===
self.flag = all(x in self.numbers for x in {1, v})
===
!Python defines no order for the elements of a plain set
for x in {1, 2}:
    self.n = x
===
!a variable whose value depends on the order of a plain set
for x in {1, 2}:
    pass
self.n = x
===
!a mapping in a pattern
match {"a": self.n}:
    case {"a": x}:
        self.n = x
===
!a name that one of several patterns binds
match (self.n, v):
    case (0, x) | (x, 0):
        self.n = x
===
!a case with a guard that binds x, which is used elsewhere in the rule
x = 1
match self.n:
    case x if x > 1:
        self.flag = on
self.n = x
"""

OTHERS = """
self.n = self.n if on else v
===
if 0 < self.n < 3:
    self.n += 1
===
a, b = self.n, v
self.n, self.flag = b, a > b
===
self.n = min(self.n + 1, 3)
===
wanted = {Color.RED: 1, Color.BLUE: 2}
self.flag = wanted[self.color] == self.n
===
low, high = sorted((self.n, v))
self.n = high - low
===
votes = sum(1 for n in self.table if self.table[n] == v)
self.flag = votes * 2 > len(self.table)
===
self.node = next(n for n in self.table if n != self.node)
===
smallest = min(self.table.values())
self.node = next(n for n in self.table if self.table[n] == smallest)
===
is_new = v not in self.log
if is_new and len(self.log) < 2:
    self.log.append(v)
===
free = [n for n in self.table if self.table[n] == 0]
if free:
    self.table[free[0]] = v
===
last = self.log[-1:]
self.n = last[0] if last else 3
===
evens = [e for e in self.log if not e & 1]
self.n = len(evens)
===
self.flag = self.n % 2 == 1 and self.n is not None
===
for i, n in enumerate(self.table):
    if i == v:
        self.node = n
        break
===
done = all(self.table[n] > 0 for n in self.table)
match (done, self.color):
    case (True, Color.RED):
        self.color = Color.BLUE
    case (False, _):
        self.table[self.node] = v
===
least, most = min(self.n, v), max(self.n, v)
self.n = most - least
===
self.n = sum(2 ** i for i, x in enumerate((self.flag, on)) if x)
===
self.log = [x for x in (self.n, v) if x > 0]
===
self.flag = any(x is True for x in (self.flag, on))
===
self.n = len([x for x in self.log if x == v])
===
x: int = v
self.n = x
===
self.numbers = {x for x in self.numbers if x != v} | {self.n}
===
self.flag = any(self.table[n] == v for n in self.table) and not all(e > 1 for e in self.log)
===
self.n = next((e for e in self.log if e > 1), 0)
===
self.n = len(self.numbers) % 4
===
self.flag = v in self.numbers or v not in self.log
===
for n, x in self.table.items():
    if x < v:
        self.table[n] = x + 1
===
assert_ = self.n < 4
require(assert_)
self.n = v
===
self.n = self.maybe or v
===
self.flag = not self.log
===
if not self.maybe:
    self.maybe = v
===
self.point = Point(x=v, on=not self.point.on)
===
old = self.point.x
self.point.x = v
self.n = old
===
self.n = sum(self.log) % 4
===
self.n = max(self.log, default=0)
===
self.flag = set(self.log) == {v}
===
self.flag = self.numbers <= {1, 2, 3}
===
self.n = len(set(self.log) & {1, 2})
===
pairs = [(a, b) for a in self.log for b in self.log if a < b]
self.n = len(pairs) % 4
===
i = 0
while i < 3:
    i += 1
self.n = i
===
!does not have try
try:
    self.n = v
except Exception:
    self.n = 0
===
!does not have assert
assert self.n <= 3
self.n = v
===
!does not have del
x = v
del x
===
!does not have raise
raise ValueError
===
!print cannot be used in a rule
print(self.n)
===
!cannot be changed in place
x = []
x.append(v)
self.n = len(x)
===
!cannot be changed in place
d = {}
d[0] = v
self.n = d[0]
===
!does not have import
import math
self.n = v
===
!does not have yield
yield v
===
!does not have global
global N
N = 1
"""

TABLE = {
    "jumps": JUMPS,
    "numbers": NUMBERS,
    "order": ORDER,
    "entries": ENTRIES,
    "queues": QUEUES,
    "functions": FUNCTIONS,
    "matches": MATCHES,
    "others": OTHERS,
}


def programs() -> list[tuple[str, str, str]]:
    """Every program: its name, its body, and a piece of the message if it is refused."""
    found = []
    for kind, text in TABLE.items():
        for number, part in enumerate(text.strip("\n").split("\n===\n"), 1):
            refused, body = "", part
            if part.startswith("!"):
                refused, body = part[1:].split("\n", 1)
            found.append((f"{kind} {number}", body, refused))
    return found
