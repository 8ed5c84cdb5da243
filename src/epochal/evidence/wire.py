"""How Kafka writes plain values: the flexible encoding of its messages (KIP-482)."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

Read = Callable[[bytes, int], tuple[Any, int]]
"""Reads a value at a position: the value, and the position behind it."""


def unsigned(data: bytes, at: int) -> tuple[int, int]:
    """An unsigned number of variable length, seven bits a byte, the least first."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number is too long")


def _signed(size: int) -> Read:
    def read(data: bytes, at: int) -> tuple[int, int]:
        end = at + size
        if end > len(data):
            raise ValueError("the record is too short")
        return int.from_bytes(data[at:end], "big", signed=True), end

    return read


int8, int16, int32, int64 = (_signed(size) for size in (1, 2, 4, 8))


def uint16(data: bytes, at: int) -> tuple[int, int]:
    """A port."""
    value, at = int16(data, at)
    return value & 0xFFFF, at


def boolean(data: bytes, at: int) -> tuple[bool, int]:
    """True or false, in one byte."""
    value, at = int8(data, at)
    return value != 0, at


def uuid(data: bytes, at: int) -> tuple[str, int]:
    """A Uuid as Kafka prints it: URL-safe base64 without padding."""
    end = at + 16
    if end > len(data):
        raise ValueError("the record is too short")
    return base64.urlsafe_b64encode(data[at:end]).decode("ascii").rstrip("="), end


def string(data: bytes, at: int) -> tuple[str | None, int]:
    """A compact string; None if it is null."""
    length, at = unsigned(data, at)
    if length == 0:
        return None, at
    end = at + length - 1
    if end > len(data):
        raise ValueError("the record is too short")
    return data[at:end].decode("utf-8"), end


def array(of: Read) -> Read:
    """A compact array; None if it is null."""

    def read(data: bytes, at: int) -> tuple[list[Any] | None, int]:
        length, at = unsigned(data, at)
        if length == 0:
            return None, at
        if length > len(data):
            raise ValueError("an array is longer than the record")
        values = []
        for _ in range(length - 1):
            value, at = of(data, at)
            values.append(value)
        return values, at

    return read
