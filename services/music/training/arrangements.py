"""Writes pieces to learn from: invented songs and arranged tunes, rendered with SoundFonts.

python arrangements.py TUNES.jsonl OUT_FOLDER --seed N --count N --fonts A.sf2 B.sf3 ...

`tunes.py` writes the file of tunes. Each piece is NAME.wav (44.1 kHz, 16 bit, stereo), and NAME.json with its truth.
A font that is given twice is used twice as often. Needs numpy, pyfluidsynth and the library FluidSynth.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

from performance import Performance, perform
from rendering import SoundFontPlayer, write_wav
from score import Score, pick
from song import invent_song
from tune_arrangement import arrange_tune
from tune_file import Tune, read_tunes

# Shares of the sources of tunes; `art` is all other sources. Each has its share, however many tunes it has.
SOURCES = {'ryansMammoth': 2, 'essenFolksong': 1, 'oneills1850': 1, 'art': 2}
SONG_SHARE = 0.62
# Metres of old vocal music, which would be too frequent. Dances replace some tunes in them.
VOCAL_TIME_SIGNATURES = ((3, 2), (4, 2))
VOCAL_SHARE_REPLACED = 0.6
DANCES = 'ryansMammoth'


def group_by_source(tunes: Sequence[Tune]) -> dict[str, list[Tune]]:
    groups: dict[str, list[Tune]] = {source: [] for source in SOURCES}
    for tune in tunes:
        groups[tune.source if tune.source in SOURCES else 'art'].append(tune)
    return {source: group for source, group in groups.items() if group}


def draw_tune(rng: Random, groups: Mapping[str, Sequence[Tune]]) -> Tune:
    tune = rng.choice(groups[pick(rng, {source: SOURCES[source] for source in groups})])
    if tune.time_signature in VOCAL_TIME_SIGNATURES and DANCES in groups and rng.random() < VOCAL_SHARE_REPLACED:
        return rng.choice(groups[DANCES])
    return tune


def draw_score(rng: Random, groups: Mapping[str, Sequence[Tune]]) -> Score:
    return invent_song(rng) if rng.random() < SONG_SHARE else arrange_tune(rng, draw_tune(rng, groups))


def truth_of(performance: Performance, font: Path) -> dict[str, object]:
    """What is known of a piece: times in seconds from the start of the recording."""
    score = performance.score

    def recorded(times: Sequence[float]) -> list[float]:
        return [time - performance.cut for time in times if time >= performance.cut]

    return {
        'kind': 'notes',
        'style': score.style,
        # Beats of a bar, and parts of a beat.
        'metre': f'{score.metre.beats}/{score.metre.divisions}',
        'bpm': score.bpm,
        'beats': recorded(performance.beats),
        'downbeats': recorded(performance.downbeats),
        'swung': score.is_swung,
        'pace': performance.pace,
        'font': font.stem,
        'has': score.parts,
        'ts': score.time_signature,
    }


def write_pieces(options: argparse.Namespace) -> int:
    """Writes the pieces, and returns how many: silent ones are left out."""
    rng = Random(options.seed)
    groups = group_by_source(read_tunes(options.tunes))
    players = {font: SoundFontPlayer(font) for font in options.fonts}
    options.folder.mkdir(parents=True, exist_ok=True)
    written = 0
    for number in range(options.count):
        performance = perform(rng, draw_score(rng, groups))
        font = rng.choice(options.fonts)
        samples = players[font].render(rng, performance)
        if samples is None:
            continue
        name = f's{options.seed}_{number}'
        write_wav(options.folder / f'{name}.wav', samples)
        (options.folder / f'{name}.json').write_text(json.dumps(truth_of(performance, font)))
        written += 1
    return written


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('tunes', type=Path, help='the file of tunes')
    parser.add_argument('folder', type=Path, help='where the pieces are written')
    parser.add_argument('--seed', type=int, required=True)
    parser.add_argument('--count', type=int, required=True, help='pieces to draw; silent ones are left out')
    parser.add_argument('--fonts', type=Path, nargs='+', required=True, help='SoundFonts')
    print(f'{write_pieces(parser.parse_args())} pieces')


if __name__ == '__main__':
    main()
