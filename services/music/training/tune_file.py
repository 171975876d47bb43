"""The file of tunes: a tune per line as JSON, which `tunes.py` writes and `arrangements.py` reads."""

import json
from dataclasses import dataclass
from pathlib import Path

TIME_SIGNATURES = frozenset(
    {(2, 4), (3, 4), (4, 4), (6, 8), (9, 8), (12, 8), (2, 2), (3, 8), (3, 2), (4, 2), (6, 4), (5, 4)}
)
# Tunes with a smaller share of regular bars are left out, because their downbeats are in doubt.
MIN_REGULARITY = 0.9


@dataclass(frozen=True)
class TuneNote:
    """A note or chord of a tune. `start` and `length` are in quarter notes, `pitches` are MIDI keys."""

    start: float
    length: float
    pitches: tuple[float, ...]


@dataclass(frozen=True)
class Tune:
    """A tune in one time signature, which begins with a whole bar: a rest fills up an upbeat.

    `regularity` is the share of bars that begin where the time signature expects it, `tonic` a pitch class, `mode` is
    `major` or `minor`, and `length` is in quarter notes.
    """

    source: str
    time_signature: tuple[int, int]
    voices: tuple[tuple[TuneNote, ...], ...]
    regularity: float
    tonic: int
    mode: str
    length: float

    @property
    def quarters_per_bar(self) -> float:
        numerator, denominator = self.time_signature
        return numerator * 4 / denominator


def tune_to_json(tune: Tune) -> str:
    return json.dumps(
        {
            'src': tune.source,
            'ts': tune.time_signature,
            'parts': [[(note.start, note.length, note.pitches) for note in voice] for voice in tune.voices],
            'good': tune.regularity,
            'key': (tune.tonic, tune.mode),
            'length': tune.length,
        }
    )


def tune_from_json(line: str) -> Tune:
    fields = json.loads(line)
    numerator, denominator = fields['ts']
    tonic, mode = fields['key']
    return Tune(
        source=fields['src'],
        time_signature=(numerator, denominator),
        voices=tuple(
            tuple(TuneNote(start, length, tuple(pitches)) for start, length, pitches in voice)
            for voice in fields['parts']
        ),
        regularity=fields['good'],
        tonic=tonic,
        mode=mode,
        length=fields['length'],
    )


def read_tunes(path: Path) -> list[Tune]:
    """Reads the tunes of a file that have regular bars and a time signature that can be arranged."""
    with path.open() as lines:
        tunes = [tune_from_json(line) for line in lines]
    return [tune for tune in tunes if tune.regularity > MIN_REGULARITY and tune.time_signature in TIME_SIGNATURES]
