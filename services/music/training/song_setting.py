"""What the parts of an invented song share: key, metre, bars with their chords, and rhythms."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from score import TOLERANCE, Metre, grid, is_multiple

FIFTH = 7


@dataclass(frozen=True)
class Key:
    """A key: its tonic (a pitch class), and the scale of melodies in semitones above the tonic."""

    tonic: int
    is_minor: bool
    scale: tuple[int, ...]

    def chord(self, root: int) -> list[int]:
        """The triad on a root, both in semitones above the tonic."""
        has_tonic_mode = root in (0, 5, 7)
        return [root, root + (3 if self.is_minor == has_tonic_mode else 4), root + FIFTH]


@dataclass(frozen=True)
class Setting:
    """What all parts of a song share. `steps` are the lengths of short notes, in beats, long ones first."""

    key: Key
    metre: Metre
    steps: tuple[float, ...]


@dataclass(frozen=True)
class Bar:
    """A bar of a song: its number within the song and its section, and the roots of its chords.

    The roots are in semitones above the tonic and divide the bar evenly. `accent` is added to the velocity of the first
    beat, and half of it to that of the other beats.
    """

    setting: Setting
    number: int
    number_in_section: int
    roots: tuple[int, ...]
    accent: float

    @property
    def start(self) -> int:
        """The first beat."""
        return self.number * self.setting.metre.beats

    def root_at(self, position: float) -> int:
        return self.roots[int(position / self.setting.metre.beats * len(self.roots) + TOLERANCE)]

    def chord_at(self, position: float) -> list[int]:
        return self.setting.key.chord(self.root_at(position))

    def accent_at(self, position: float) -> float:
        if position == 0:
            return self.accent
        return self.accent / 2 if is_multiple(position, 1) else 0


def draw_rhythm(rng: Random, beats: int, step: float, density: float, syncopation: float) -> list[float]:
    """Draws positions (beats) of notes in a bar.

    Without syncopation, notes on strong beats are more likely; with a syncopation of 1, all positions are equal.
    """

    def weight(position: float) -> float:
        if position == 0:
            return 1.6
        if is_multiple(position, 1):
            return 1
        return 0.5 if is_multiple(position, 0.5) else 0.25

    positions = grid(beats, step)
    return [
        position
        for position in positions
        if rng.random() < density * (weight(position) * (1 - syncopation) + 0.55 * syncopation)
    ] or [0]


def lengths_to_next(rhythm: Sequence[float], beats: int) -> list[float]:
    """The time from each note to the next, or to the end of the bar, in beats."""
    return [following - position for position, following in zip(rhythm, [*rhythm[1:], beats], strict=True)]
