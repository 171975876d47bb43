"""Extracts tunes from the corpus of music21, as notes with their time signature: python tunes.py OUT.jsonl

Needs music21. A file of the corpus that cannot be read is reported and left out.
"""

import argparse
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from music21 import corpus, meter, stream

from tune_file import Tune, TuneNote, tune_to_json

SEED = 5
# The number of files from each collection or composer, at most.
FILES = {
    'ryansMammoth': 700,
    'bach': 110,
    'airdsAirs': 6,
    'oneills1850': 20,
    'essenFolksong': 12,
    'haydn': 9,
    'mozart': 16,
    'beethoven': 26,
    'leadSheet': 2,
    'joplin': 1,
    'schumann_robert': 7,
    'schumann_clara': 5,
    'palestrina': 25,
    'monteverdi': 20,
    'nottingham': 1,
    'trecento': 15,
    'chopin': 1,
    'corelli': 1,
    'handel': 1,
    'cpebach': 1,
    'weber': 1,
    'schubert': 1,
    'beach': 1,
    'johnson_j_r': 1,
}
# A file can hold hundreds of tunes; so many are drawn from each.
MAX_TUNES_PER_FILE = 25
MAX_SECONDS_PER_FILE = 25
MAX_VOICES = 6
MIN_BARS = 6
MIN_QUARTERS = 16
# A bar is regular if it begins this close to the expected place, in bars.
BAR_TOLERANCE = 0.02


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Raises TimeoutError in the block after some seconds: music21 analyses some long files for minutes."""

    def stop(*_: object) -> None:
        raise TimeoutError(f'not read in {seconds} s')

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def choose_files(rng: Random) -> list[tuple[str, Path]]:
    """The collection and the path of each file to read, in random order."""
    files = []
    for collection, limit in FILES.items():
        paths = list(corpus.getComposer(collection))
        rng.shuffle(paths)
        files += [(collection, path) for path in paths[:limit]]
    rng.shuffle(files)
    return files


def bar_offsets(part: stream.Stream) -> list[float]:
    """Where the bars of a part begin, in quarter notes. Some files have notes without bars: music21 adds them."""
    bars = list(part.getElementsByClass(stream.Measure))
    if len(bars) < MIN_BARS:
        bars = list(part.makeMeasures().getElementsByClass(stream.Measure))
    return [float(bar.offset) for bar in bars]


def voice_of(part: stream.Stream, shift: float) -> tuple[TuneNote, ...]:
    """The notes of a part without grace notes, `shift` quarter notes later."""
    return tuple(
        TuneNote(float(note.offset) + shift, float(note.quarterLength), tuple(pitch.midi for pitch in note.pitches))
        for note in part.flatten().notes
        if note.pitches and not note.duration.isGrace
    )


def tune_of(score: stream.Stream, source: str) -> Tune | None:
    """The tune of a score, or None if it is short or changes its time signature."""
    signatures = {signature.ratioString for signature in score.recurse().getElementsByClass(meter.TimeSignature)}
    parts = list(getattr(score, 'parts', ())) or [score]
    offsets = bar_offsets(parts[0])
    if len(signatures) != 1 or len(offsets) < MIN_BARS:
        return None
    numerator, denominator = map(int, signatures.pop().split('/'))
    bar = numerator * 4 / denominator
    first_bar = offsets[1] - offsets[0]
    shift = bar - first_bar if 0 < first_bar < bar else 0
    voices = tuple(voice for part in parts[:MAX_VOICES] if (voice := voice_of(part, shift)))
    length = max((note.start + note.length for voice in voices for note in voice), default=0)
    if length <= MIN_QUARTERS:
        return None
    places = [(offset + shift) / bar for offset in offsets[1:]]
    key = score.analyze('key')
    return Tune(
        source=source,
        time_signature=(numerator, denominator),
        voices=voices,
        regularity=sum(abs(place - round(place)) < BAR_TOLERANCE for place in places) / len(places),
        tonic=key.tonic.pitchClass,
        mode=key.mode,
        length=length,
    )


def tunes_of(path: Path, source: str, rng: Random) -> Iterator[Tune]:
    """Yields the tunes of a file."""
    parsed = corpus.parse(path)
    scores = [parsed]
    if isinstance(parsed, stream.Opus):
        scores = list(parsed.scores)
        rng.shuffle(scores)
    for score in scores[:MAX_TUNES_PER_FILE]:
        try:
            tune = tune_of(score, source)
        except TimeoutError:
            raise
        except Exception as error:  # music21 raises all kinds of errors on scores that it does not understand.
            print(f'{path}: a tune left out: {error!r}', file=sys.stderr)
            continue
        if tune:
            yield tune


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('out', type=Path, help='the file to write, a tune per line as JSON')
    options = parser.parse_args()
    warnings.filterwarnings('ignore', module='music21')
    rng = Random(SEED)
    count = 0
    with options.out.open('w') as out:
        for source, path in choose_files(rng):
            try:
                with time_limit(MAX_SECONDS_PER_FILE):
                    for tune in tunes_of(path, source, rng):
                        out.write(tune_to_json(tune) + '\n')
                        count += 1
            except Exception as error:  # As above, while the file is parsed.
                print(f'{path}: left out: {error!r}', file=sys.stderr)
    print(f'{count} tunes')


if __name__ == '__main__':
    main()
