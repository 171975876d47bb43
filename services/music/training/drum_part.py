"""The drums of a piece: patterns that alternate, fills and crash cymbals."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from drum_patterns import TOMS, Drum, Pattern
from instruments import Channel
from score import Note, grid, some

STROKE_LENGTH = 0.2
CRASH_LENGTH = 1
# MIDI velocities, before the loudness of the part.
FILL_VELOCITY = 87
FILL_DRUMS = (Drum.SNARE, Drum.SNARE, *TOMS)


@dataclass(frozen=True)
class DrumPart:
    """The drums of a piece. The last of each `bars_per_fill` bars may end with a fill; 0 is no fills.

    The first of each `bars_per_crash` bars may begin with a crash; 0 is no crashes. `loudness` is a factor of
    velocities. `fill_steps` are lengths of notes (beats) of which fills are made.
    """

    patterns: Sequence[Pattern]
    bars_per_pattern: int
    bars_per_fill: int
    bars_per_crash: int
    loudness: float
    fill_steps: Sequence[float]


def play_drums(rng: Random, part: DrumPart, bar: int, beats: int) -> list[Note]:
    """Plays a bar (counted from 0) of some beats."""
    start = bar * beats
    has_fill = part.bars_per_fill > 0 and (bar + 1) % part.bars_per_fill == 0 and rng.random() < 0.8
    notes = []
    for strokes in part.patterns[bar // part.bars_per_pattern % len(part.patterns)]:
        for position in strokes.positions:
            if not (has_fill and position >= beats / 2):
                velocity = strokes.velocity * part.loudness + rng.gauss(0, 5) + (4 if position == 0 else 0)
                notes.append(Note(start + position, STROKE_LENGTH, Channel.DRUMS, strokes.drum, velocity))
    loud = FILL_VELOCITY * part.loudness
    if has_fill:
        ending = [x for x in grid(beats, rng.choice(part.fill_steps)) if x >= beats / 2]
        notes += [
            Note(start + position, STROKE_LENGTH, Channel.DRUMS, rng.choice(FILL_DRUMS), loud)
            for position in some(rng, ending, 0.83)
        ]
    if part.bars_per_crash > 0 and bar % part.bars_per_crash == 0 and rng.random() < 0.6:
        notes.append(Note(start, CRASH_LENGTH, Channel.DRUMS, Drum.CRASH, loud))
    return notes
