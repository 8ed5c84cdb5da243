"""Small programs about logs as queues, for the table of ordinary programs: slices, sums, and comparisons of lists."""

from __future__ import annotations

QUEUES = """
self.log = self.log[1:] + [v]
===
self.log = self.log + [v]
===
if len(self.log) < 2:
    self.log += [v]
===
self.log = [v] + self.log[:1]
===
self.log = self.log + self.log
===
require(self.log)
self.n = self.log.first
self.log = self.log[1:]
===
self.n = self.log.first if self.log else v
===
self.log = self.log[self.n :] + self.log[: self.n]
===
self.log = self.log[v - 2 :] + self.log[: v - 3]
===
if v in self.log:
    i = self.log.index(v)
    self.log = self.log[:i] + self.log[i + 1 :]
===
self.log = [e for e in self.log if e != v] + self.log[:1]
===
x = self.log[1:] if self.flag else self.log[:1]
self.log = x + [v]
===
x = self.log + [v]
self.n = x[0]
self.flag = x[-1] == self.n
self.log = x[1:]
===
self.log = (self.log + [v])[-2:]
===
self.log = sorted(self.log + [v])[:2]
===
self.n = sum(self.log + [v]) % 4 + (v > 5)
===
self.points = self.points[1:] + [self.point]
===
self.points = [self.point, *self.points][:2]
self.point.x = v
===
self.flag = self.points[:1] == [self.point] or self.points[1:] == self.points[:1]
===
self.flag = self.log[1:] == [v] or self.log[:1] == self.log
===
self.flag = [e for e in self.log if e > v] == [3] or [] == self.log[v:]
===
self.flag = self.log[1:] in ([], [v]) and self.log[:2] != (v, v)
===
self.flag = self.log[:2] == tuple([v]) or self.log == (v,)
===
old = self.log[:]
self.log = old[1:] + old[:1]
self.flag = self.log == old
===
entries = self.log
self.log = entries[1:] + [v]
===
!this value of logs of at most 2 0..3 was replaced
entries = self.log
self.log += [v]
self.n = entries[0]
===
!a list and a tuple are added
self.log = self.log + (v,)
"""
