"""Arranges a tune for some of melody, bass, chords and drums."""

from random import Random

from drum_part import DrumPart, play_drums
from drum_patterns import TUNE_STYLES, draw_style
from instruments import TUNE_BASSES, TUNE_CHORDS, Channel, melody_program
from score import TOLERANCE, Metre, Note, Score, fold, grid, is_multiple, pick, some
from tune_file import Tune
from tune_plan import Plan, bars_of, draw_plan

BASS_LOWEST, CHORDS_LOWEST, ARPEGGIO_LOWEST = 36, 52, 48
MAX_CHORD_NOTES = 4

BASS_KINDS = ('beats', 'long', 'alternating', 'walking', 'divisions', 'tresillo', 'offbeats', 'arpeggio', 'random')
# Kinds of bass that play roots alone.
ROOT_BASS_KINDS = frozenset({'beats', 'long', 'divisions', 'offbeats', 'tresillo'})
CHORD_KINDS = {
    'long': 1,
    'offbeats': 1,
    'after_beats': 1,
    'arpeggio': 2,
    'strummed': 1,
    'skank': 1,
    'charleston': 1,
    'beats': 1,
    'random': 1,
    'alberti': 1,
}
# Lengths in beats.
CHORD_LENGTHS = {
    'offbeats': 0.3,
    'after_beats': 0.5,
    'strummed': 0.4,
    'skank': 0.2,
    'charleston': 0.5,
    'beats': 0.7,
    'random': 0.4,
}


def play_melody(rng: Random, plan: Plan) -> list[Note]:
    """Plays the voices of the tune, each on its own channel, with accents of a strength drawn by chance."""
    octave = pick(rng, {0: 3, 12: 1, -12: 1})
    doubles_octave = rng.random() < 0.1
    accent = rng.random()
    sounding = rng.choice([0.5, 0.8, 0.95, 1])
    metre, tune = plan.metre, plan.tune
    first_beat = plan.entries['melody'] * metre.beats
    notes = []
    for first_bar in range(-plan.first_bar, plan.bars, bars_of(tune)):
        for channel, voice in enumerate(tune.voices):
            for note in voice:
                beat = note.start / plan.quarters_per_beat + first_bar * metre.beats
                if not first_beat - TOLERANCE < beat <= plan.beats:
                    continue
                velocity = rng.gauss(82, 7)
                if is_multiple(beat, metre.beats):
                    velocity += 10 * accent
                elif is_multiple(beat, 1):
                    velocity += 4 * accent
                length = note.length / plan.quarters_per_beat * sounding
                pitches = [int(pitch) + plan.transposition + octave for pitch in note.pitches[:MAX_CHORD_NOTES]]
                notes += [Note(beat, length, channel, pitch, velocity) for pitch in pitches]
                if doubles_octave:
                    notes.append(Note(beat, length, channel, pitches[0] + 12, velocity - 15))
    return notes


def bass_rhythm(kind: str, metre: Metre, random_rhythm: list[float]) -> list[float]:
    """Positions of the bass in a bar, in beats."""
    match kind:
        case 'long':
            return [0]
        case 'alternating':
            return [0] if metre.beats == 3 else grid(metre.beats, 2)
        case 'divisions' | 'arpeggio':
            return grid(metre.beats, metre.division)
        case 'tresillo':
            return [0, 1.5, 3] if metre.beats == 4 else [0, 1.5]
        case 'offbeats':
            return grid(metre.beats, 1, 0.5)
        case 'random':
            return random_rhythm
        case _:
            return grid(metre.beats, 1)


def play_bass(rng: Random, plan: Plan) -> list[Note]:
    kind = rng.choice(BASS_KINDS)
    beats = plan.metre.beats
    rhythm = bass_rhythm(kind, plan.metre, [0, *some(rng, grid(beats, 0.5, 0.5), 0.3)])
    length = beats * 0.9 if kind == 'long' else 0.9
    notes = []
    for bar in range(plan.entries['bass'], plan.bars):
        for position in rhythm:
            chord = plan.chord_at(bar * beats + position)
            pitch = chord[0] if kind in ROOT_BASS_KINDS or position == 0 else rng.choice(chord)
            if kind == 'alternating' and position > 0:
                pitch = chord[2]
            velocity = rng.gauss(88, 5) + (6 if position == 0 else 0)
            notes.append(Note(bar * beats + position, length, Channel.BASS, fold(pitch, BASS_LOWEST, 12), velocity))
    return notes


def chord_rhythm(rng: Random, kind: str, plan: Plan, random_rhythm: list[float]) -> list[float]:
    """Positions of chords in a bar, in beats."""
    beats, is_ternary = plan.metre.beats, plan.metre.is_ternary
    match kind:
        case 'long':
            return [0] if plan.quarters_per_chord >= plan.tune.quarters_per_bar else [0, beats / 2]
        case 'offbeats':
            return grid(beats, 1, 2 / 3 if is_ternary else 0.5)
        case 'after_beats':
            return [1, 3] if beats == 4 else grid(beats, 1, 1)
        case 'strummed':
            return grid(beats, plan.metre.division)
        case 'skank':
            if rng.random() < 0.5:
                return grid(beats, 1, 0.5)
            return [1, 3] if beats == 4 else grid(beats, 1, 1)
        case 'charleston':
            return [0, 1.5, 2.5] if beats == 4 else [0, 1.5]
        case 'random':
            return random_rhythm
        case _:
            return grid(beats, 1)


def play_chords(rng: Random, plan: Plan) -> list[Note]:
    kind = pick(rng, CHORD_KINDS)
    if kind in ('arpeggio', 'alberti'):
        return play_arpeggio(rng, plan, kind)
    beats = plan.metre.beats
    random_rhythm = some(rng, grid(beats, 0.5), 0.4) or [0]
    notes = []
    for bar in range(plan.entries['chords'], plan.bars):
        rhythm = chord_rhythm(rng, kind, plan, random_rhythm)
        length = CHORD_LENGTHS.get(kind, 0.95 * beats / len(rhythm))
        for position in rhythm:
            accent = 6 if position == 0 and kind != 'long' else 0
            for pitch in plan.chord_at(bar * beats + position):
                key = fold(pitch, CHORDS_LOWEST, 12)
                notes.append(Note(bar * beats + position, length, Channel.CHORDS, key, rng.gauss(72, 5) + accent))
    return notes


def play_arpeggio(rng: Random, plan: Plan, kind: str) -> list[Note]:
    """Plays broken chords: up, up and down in ternary metres, or as an Alberti bass."""
    division = plan.metre.division
    step = pick(rng, {division: 2, division / 2: 1, 1: 1})
    order = [0, 1, 2, 3, 2, 1] if plan.metre.is_ternary else [0, 1, 2, 3]
    if kind == 'alberti':
        order = [0, 2, 1, 2]
    notes = []
    for bar in range(plan.entries['chords'], plan.bars):
        for index, position in enumerate(grid(plan.metre.beats, step)):
            beat = bar * plan.metre.beats + position
            keys = sorted(fold(pitch, ARPEGGIO_LOWEST, 12) for pitch in plan.chord_at(beat))
            keys.append(keys[0] + 12)
            velocity = rng.gauss(74, 5) + (8 if position == 0 else 0)
            notes.append(Note(beat, step * 1.5, Channel.CHORDS, keys[order[index % len(order)]], velocity))
    return notes


def play_tune_drums(rng: Random, plan: Plan) -> list[Note]:
    """Plays the drums, which are silent in a few bars."""
    metre = plan.metre
    style = draw_style(rng, metre, plan.is_swung, TUNE_STYLES)
    bars_per_fill = rng.choice([0, 4, 8])
    part = DrumPart(
        patterns=[style(rng, metre.beats) for _ in range(pick(rng, {1: 1, 2: 2}))],
        bars_per_pattern=4,
        bars_per_fill=bars_per_fill,
        bars_per_crash=bars_per_fill,
        loudness=rng.uniform(0.7, 1.15),
        fill_steps=[1 / 3] if metre.is_ternary else [0.25, 0.5],
    )
    return [
        note
        for bar in range(plan.entries['drums'], plan.bars)
        if rng.random() >= 0.02
        for note in play_drums(rng, part, bar, metre.beats)
    ]


def draw_tune_programs(rng: Random, voices: int) -> dict[int, int]:
    """Draws the programs: about half of all voices share one."""
    shared = melody_program(rng)
    programs = {voice: shared if rng.random() < 0.5 else melody_program(rng) for voice in range(voices)}
    return {**programs, Channel.BASS: rng.choice(TUNE_BASSES), Channel.CHORDS: rng.choice(TUNE_CHORDS)}


def arrange_tune(rng: Random, tune: Tune) -> Score:
    """Arranges a tune for 22 to 42 s."""
    plan = draw_plan(rng, tune)
    players = {'melody': play_melody, 'bass': play_bass, 'chords': play_chords, 'drums': play_tune_drums}
    return Score(
        style=tune.source,
        time_signature=tune.time_signature,
        metre=plan.metre,
        bpm=plan.bpm,
        beats=plan.beats,
        is_swung=plan.is_swung,
        parts=plan.parts,
        programs=draw_tune_programs(rng, len(tune.voices)),
        notes=[note for part, play in players.items() if plan.parts[part] for note in play(rng, plan)],
    )
