"""A score: notes in beats, and what is known of the piece. Invented songs and arranged tunes are both scores."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import TypeVar

Choice = TypeVar('Choice')

# Positions closer than this (beats) are the same position.
TOLERANCE = 1e-3


@dataclass(frozen=True)
class Metre:
    """Beats of a bar, and the parts (two or three) into which a beat divides."""

    beats: int
    divisions: int

    @property
    def is_ternary(self) -> bool:
        return self.divisions == 3

    @property
    def division(self) -> float:
        """The length of a part of a beat, in beats."""
        return 1 / self.divisions


@dataclass(frozen=True)
class Note:
    """A note of a MIDI channel. `beat` counts from the first downbeat, `length` is in beats."""

    beat: float
    length: float
    channel: int
    pitch: int
    velocity: float


@dataclass(frozen=True)
class Score:
    """A piece before it is performed.

    `style` is `song`, or the collection that the tune comes from. `beats` is the length of the piece. `parts` says
    which parts the piece has. `programs` maps MIDI channels to General MIDI programs. In a swung piece, notes on half
    and quarter beats are still written straight.
    """

    style: str
    time_signature: tuple[int, int]
    metre: Metre
    bpm: float
    beats: int
    is_swung: bool
    parts: dict[str, bool]
    programs: dict[int, int]
    notes: list[Note]


def grid(beats: int, step: float, start: float = 0) -> list[float]:
    """Positions (beats) in a bar, from `start` to the end of the bar, `step` apart."""
    return [start + i * step for i in range(math.ceil((beats - start) / step - TOLERANCE))]


def is_multiple(position: float, step: float) -> bool:
    """Whether a position is a whole number of steps."""
    return abs(position / step - round(position / step)) < TOLERANCE


def pick(rng: Random, weights: Mapping[Choice, float]) -> Choice:
    """Draws one of the keys, each with its weight."""
    return rng.choices(list(weights), list(weights.values()))[0]


def some(rng: Random, positions: Iterable[float], probability: float) -> list[float]:
    """Keeps each position with a probability."""
    return [position for position in positions if rng.random() < probability]


def fold(pitch: int, lowest: int, semitones: int) -> int:
    """Moves a pitch by octaves into a range of whole octaves from `lowest` on."""
    return lowest + (pitch - lowest) % semitones


def draw_tempo(rng: Random, median: float, octaves: float, usual: float) -> float:
    """Draws a tempo in BPM.

    With probability `usual` its octave is normally distributed around `median` (standard deviation `octaves`), else any
    octave is equally likely.
    """
    if rng.random() < usual:
        return min(208, max(55, median * 2 ** rng.gauss(0, octaves)))
    return 56 * (208 / 56) ** rng.random()
