"""Chords under a tune, chosen by the notes that sound."""

from random import Random

import numpy as np

from score import TOLERANCE
from tune_file import Tune

# Pitch classes, root first.
Triad = tuple[int, ...]

# Triads that may accompany a tune in C, the tonic first.
MAJOR_TRIADS: tuple[Triad, ...] = ((0, 4, 7), (2, 5, 9), (5, 9, 0), (7, 11, 2), (9, 0, 4), (4, 7, 11))
MINOR_TRIADS: tuple[Triad, ...] = ((0, 3, 7), (5, 8, 0), (7, 11, 2), (8, 0, 3), (10, 2, 5), (3, 7, 10))
# Longer notes count no more than this (quarter notes).
MAX_WEIGHT = 2
WEIGHT_ON_BEAT = 0.5
# Scores of a triad, beside the weight of its notes.
SCORE_OF_CHANCE, SCORE_OF_TONIC, SCORE_OF_PREVIOUS = 0.7, 0.4, 0.3


def pitch_class_weights(tune: Tune, quarters_per_beat: float, span: float) -> np.ndarray:
    """The weight of each pitch class (column) in each span (row) of some quarter notes."""
    weights = np.zeros((int(tune.length / span) + 2, 12))
    for voice in tune.voices:
        for note in voice:
            beat = note.start / quarters_per_beat
            on_beat = WEIGHT_ON_BEAT if abs(beat - round(beat)) < TOLERANCE else 0
            for pitch in note.pitches:
                row = int((note.start + TOLERANCE) / span)
                weights[row, int(pitch) % 12] += min(note.length, MAX_WEIGHT) + on_beat
    return weights


def harmonise(rng: Random, tune: Tune, quarters_per_beat: float, span: float) -> list[Triad]:
    """Chooses a triad for each span of some quarter notes."""
    triads = [
        tuple((pitch + tune.tonic) % 12 for pitch in triad)
        for triad in (MAJOR_TRIADS if tune.mode == 'major' else MINOR_TRIADS)
    ]
    chosen: list[int] = []
    for weights in pitch_class_weights(tune, quarters_per_beat, span):
        scores = [weights[list(triad)].sum() + rng.random() * SCORE_OF_CHANCE for triad in triads]
        scores[0] += SCORE_OF_TONIC
        if chosen:
            scores[chosen[-1]] += SCORE_OF_PREVIOUS
        chosen.append(int(np.argmax(scores)))
    return [triads[index] for index in chosen]
