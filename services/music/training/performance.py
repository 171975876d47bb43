"""Performs a score: a tempo curve, swing and imprecise playing turn beats into seconds."""

from dataclasses import dataclass
from random import Random

import numpy as np

from score import Note, Score, pick

SONG_PACES = {'steady': 7, 'drift': 1, 'rubato': 1, 'rit': 1}
TUNE_PACES = {'steady': 5, 'drift': 1, 'rubato': 3, 'rit': 1, 'sections': 1}
# Notes closer than this (beats) to half or quarter beats are moved by swing.
SWING_TOLERANCE = 0.03
# The shortest note, in beats and in seconds, and the gap after a note (s).
MIN_BEATS, MIN_SECONDS, GAP = 0.05, 0.03, 0.01
CHANNELS = 16


@dataclass(frozen=True)
class PlayedNote:
    """A note of a MIDI channel; times in seconds."""

    start: float
    end: float
    channel: int
    pitch: int
    velocity: int


@dataclass(frozen=True)
class Performance:
    """A performed score; times in seconds. A recording of it begins at `cut`: some begin in the middle of a bar."""

    score: Score
    pace: str
    notes: list[PlayedNote]
    beats: list[float]
    cut: float

    @property
    def downbeats(self) -> list[float]:
        return self.beats[:: self.score.metre.beats]

    @property
    def end(self) -> float:
        return self.beats[-1]


def rubato(rng: Random, beats: int, beats_per_bar: int) -> np.ndarray:
    """Factors of beat lengths: a random walk without its trend, and phrases that slow down at their ends."""
    step = rng.uniform(0.006, 0.024)
    walk = np.cumsum([rng.gauss(0, step) for _ in range(beats)])
    walk -= np.convolve(walk, np.ones(31) / 31, 'same')
    phrase = np.arange(beats) / (beats_per_bar * rng.choice([2, 4, 8])) % 1
    return 1 + np.clip(walk, -0.15, 0.15) + rng.uniform(0, 0.12) * np.clip((phrase - 0.6) / 0.4, 0, 1)


def sections(rng: Random, beats: int, beats_per_bar: int) -> np.ndarray:
    """Factors of beat lengths: every four or eight bars another tempo, as in dances and overtures, with some rubato."""
    length = beats_per_bar * rng.choice([4, 8])
    tempi = [2 ** rng.uniform(-0.3, 0.3) for _ in range(beats // length + 1)]
    return np.repeat(tempi, length)[:beats] * rubato(rng, beats, beats_per_bar)


def beat_lengths(rng: Random, score: Score, pace: str) -> np.ndarray:
    """The length of each beat in seconds, for some bars more than the score has."""
    beats = score.beats + 8 * score.metre.beats
    lengths = np.full(beats, 60 / score.bpm)
    match pace:
        case 'drift':
            return lengths * (1 + rng.uniform(-0.1, 0.1) * np.linspace(0, 1, beats))
        case 'rubato':
            return lengths * rubato(rng, beats, score.metre.beats)
        case 'sections':
            return lengths * sections(rng, beats, score.metre.beats)
        case 'rit':
            progress = np.arange(beats) / score.beats
            return lengths * (1 + np.clip((progress - 0.7) * rng.uniform(0.3, 1), 0, 0.4))
        case _:
            return lengths


def swing(beat: float, ratio: float) -> float:
    """Moves half and quarter beats, so that the first half of a beat takes a share of it (0.5 is straight)."""
    whole, fraction = divmod(beat, 1)
    for straight, swung in ((0.5, ratio), (0.25, ratio / 2), (0.75, (1 + ratio) / 2)):
        if abs(fraction - straight) < SWING_TOLERANCE:
            return whole + swung
    return beat


def perform(rng: Random, score: Score) -> Performance:
    """Performs a score with a tempo curve, swing, and players that are early, late or inexact."""
    pace = pick(rng, SONG_PACES if score.style == 'song' else TUNE_PACES)
    lead_in = rng.choice([0, rng.uniform(0, 0.3), rng.uniform(0, 1.5)])
    times = lead_in + np.concatenate([[0], np.cumsum(beat_lengths(rng, score, pace))])
    swing_ratio = rng.uniform(0.58, 0.7) if score.is_swung else 0.5
    spread = rng.choice([0, 0, 0.004, 0.008, 0.014])
    delays = [rng.gauss(0, 0.006) if rng.random() < 0.5 else 0 for _ in range(CHANNELS)]

    def time_at(beat: float) -> float:
        return float(np.interp(beat, np.arange(len(times)), times))

    def play(note: Note) -> PlayedNote:
        beat = swing(note.beat, swing_ratio)
        start = time_at(beat) + rng.gauss(0, spread) + delays[note.channel]
        end = max(start + MIN_SECONDS, time_at(beat + max(MIN_BEATS, note.length)) - GAP)
        return PlayedNote(max(0, start), end, note.channel, note.pitch, round(max(15, min(127, note.velocity))))

    return Performance(
        score=score,
        pace=pace,
        notes=[play(note) for note in score.notes],
        beats=times[: score.beats + 1].tolist(),
        cut=rng.choice([0, 0, rng.uniform(0, 5)]),
    )
