"""Plans the arrangement of a tune: what is played of it, by which parts, at which tempo and in which key."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from score import TOLERANCE, Metre, draw_tempo, pick
from tune_file import Tune
from tune_harmony import Triad, harmonise

# The range of notes per second in which a tune is played.
MIN_NOTE_RATE, MAX_NOTE_RATE = 0.7, 7.5
# A tune may have no tempo with notes at such a rate.
MAX_TEMPO_DRAWS = 50


@dataclass(frozen=True)
class Plan:
    """What is played of a tune, how fast and in which key.

    `beats` is the length of the piece and `first_bar` the bar of the tune with which it begins. The tune is repeated.
    `chords` has a chord for each span of `quarters_per_chord` in the tune; it is not transposed. `entries` are the bars
    in which the parts enter.
    """

    tune: Tune
    metre: Metre
    quarters_per_beat: float
    bpm: float
    beats: int
    first_bar: int
    transposition: int
    chords: list[Triad]
    quarters_per_chord: float
    parts: dict[str, bool]
    entries: dict[str, int]
    is_swung: bool

    @property
    def bars(self) -> int:
        return bars_for(self.beats, self.metre)

    def chord_at(self, beat: float) -> list[int]:
        """The transposed chord under a beat of the piece."""
        bar = self.tune.quarters_per_bar
        place = (beat * self.quarters_per_beat + self.first_bar * bar) % (bars_of(self.tune) * bar)
        index = int(place / self.quarters_per_chord + TOLERANCE)
        return [pitch + self.transposition for pitch in self.chords[min(index, len(self.chords) - 1)]]


def bars_of(tune: Tune) -> int:
    """The length of a tune in bars."""
    return max(1, round(tune.length / tune.quarters_per_bar))


def bars_for(beats: int, metre: Metre) -> int:
    """The bars in which some beats fit."""
    return beats // metre.beats + 1


def draw_beat(rng: Random, tune: Tune) -> tuple[Metre, float]:
    """Chooses what is a beat of a tune: its metre, and quarter notes per beat."""
    numerator, denominator = tune.time_signature
    quarters, divisions = 4 / denominator, 2
    if denominator == 8 and numerator % 3 == 0 and numerator > 3:
        quarters, divisions = 1.5, 3
    elif tune.time_signature == (6, 4) and rng.random() < 0.5:
        quarters, divisions = 3, 3
    elif tune.time_signature == (6, 4) or (tune.time_signature == (2, 2) and rng.random() < 0.4):
        quarters = 1
    return Metre(round(tune.quarters_per_bar / quarters), divisions), quarters


def draw_tune_tempo(rng: Random, tune: Tune, quarters_per_beat: float) -> float:
    """Draws a tempo (BPM) at which the tune is neither very dense nor very sparse."""
    onsets = {note.start for voice in tune.voices for note in voice}
    onsets_per_beat = len(onsets) / max(1, tune.length / quarters_per_beat)
    for _ in range(MAX_TEMPO_DRAWS):
        bpm = draw_tempo(rng, 112, octaves=0.45, usual=0.4)
        if MIN_NOTE_RATE < onsets_per_beat * bpm / 60 < MAX_NOTE_RATE:
            break
    return bpm


def draw_parts(rng: Random, voices: int) -> dict[str, bool]:
    """Draws which parts play. Music in many voices often has no accompaniment."""
    if rng.random() < 0.06:
        return {'melody': False, 'drums': True, 'bass': rng.random() < 0.5, 'chords': False}
    parts = {
        'melody': rng.random() < 0.88,
        'drums': rng.random() < 0.5,
        'bass': rng.random() < 0.55,
        'chords': rng.random() < 0.55,
    }
    if voices > 2 and rng.random() < 0.6:
        parts.update(melody=True, bass=False, chords=False)
    if voices > 2 and rng.random() < 0.6:
        parts['drums'] = False
    if not (parts['melody'] or parts['chords'] or parts['drums']):
        parts['melody'] = True
    return parts


def draw_entries(rng: Random, parts: Mapping[str, bool]) -> dict[str, int]:
    """Draws the bar in which each part enters. One part plays from the first bar on."""
    entries = {part: pick(rng, {0: 4, 4: 1} if part == 'melody' else {0: 3, 4: 1, 8: 1}) for part in parts}
    if all(entries[part] for part in parts if parts[part]):
        return dict.fromkeys(parts, 0)
    return entries


def draw_chord_span(rng: Random, metre: Metre, quarters_per_bar: float) -> float:
    """Draws how long a chord lasts, in quarter notes."""
    if metre.beats == 4 and rng.random() < 0.15:
        return quarters_per_bar * 2
    if metre.beats == 4 and rng.random() < 0.35:
        return quarters_per_bar / 2
    return quarters_per_bar


def draw_plan(rng: Random, tune: Tune) -> Plan:
    metre, quarters = draw_beat(rng, tune)
    bpm = draw_tune_tempo(rng, tune, quarters)
    beats = int(rng.uniform(22, 42) * bpm / 60) + 2
    spare_bars = bars_of(tune) - bars_for(beats, metre)
    span = draw_chord_span(rng, metre, tune.quarters_per_bar)
    parts = draw_parts(rng, len(tune.voices))
    return Plan(
        tune=tune,
        metre=metre,
        quarters_per_beat=quarters,
        bpm=bpm,
        beats=beats,
        first_bar=rng.randrange(spare_bars) if spare_bars > 0 and rng.random() < 0.6 else 0,
        transposition=rng.randint(-5, 6),
        chords=harmonise(rng, tune, quarters, span),
        quarters_per_chord=span,
        parts=parts,
        entries=draw_entries(rng, parts),
        is_swung=not metre.is_ternary and rng.random() < 0.22,
    )
