"""The parts of an invented song. Each part draws material for a section, and plays it bar by bar."""

from dataclasses import dataclass
from random import Random

from instruments import Channel
from score import Note, fold, grid
from song_setting import FIFTH, Bar, Setting, draw_rhythm, lengths_to_next

# Lowest keys of parts. Leads and arpeggios have no range: their tonic is in the octave from C4 on.
BASS_LOWEST, RIFF_LOWEST, CHORDS_LOWEST, PAD_LOWEST = 28, 40, 50, 55
C2, C4 = 36, 60
OCTAVE = 12
BASS_KINDS = (
    'division_roots',
    'beat_roots',
    'riff',
    'riff',
    'octaves',
    'long',
    'offbeats',
    'walking',
    'rhythm_roots',
    'tresillo',
)
# Positions of Latin bass lines and chords in four beats.
TRESILLO, BOSSA_BASS, BOSSA_CHORDS = [0, 1.5, 3], [0, 1.5, 2, 3.5], [0, 1, 1.5, 2.5, 3.5]
CHORD_KINDS = ('long', 'offbeats', 'beats', 'divisions', 'rhythm', 'rhythm', 'rhythm', 'backbeats', 'anticipated')


@dataclass(frozen=True)
class BassLine:
    """A bass. `rhythm` are positions in a bar and `intervals` semitones above roots, which a riff uses."""

    kind: str
    rhythm: list[float]
    intervals: list[int]


def draw_bass(rng: Random, setting: Setting) -> BassLine:
    rhythm = draw_rhythm(
        rng, setting.metre.beats, rng.choice(setting.steps), rng.uniform(0.3, 0.8), syncopation=rng.random()
    )
    intervals = [0, 0, 0, FIFTH, OCTAVE, 10, -2] if setting.key.is_minor else [0, 0, 0, FIFTH, OCTAVE, 9, FIFTH]
    return BassLine(rng.choice(BASS_KINDS), rhythm, [rng.choice(intervals) for _ in rhythm])


def within(positions: list[float], beats: int) -> list[float]:
    """The positions that lie in a bar of some beats."""
    return [position for position in positions if position < beats]


def bass_rhythm(line: BassLine, setting: Setting) -> list[float]:
    beats = setting.metre.beats
    match line.kind:
        case 'division_roots' | 'octaves':
            return grid(beats, setting.steps[0])
        case 'beat_roots' | 'walking':
            return grid(beats, 1)
        case 'long':
            return [0]
        case 'offbeats':
            return grid(beats, 1, 2 / 3 if setting.metre.is_ternary else 0.5)
        case 'tresillo' | 'bossa' if not setting.metre.is_ternary:
            return within(TRESILLO if line.kind == 'tresillo' else BOSSA_BASS, beats)
        case 'without_first':
            return [position for position in line.rhythm if position > 0] or [1]
        case _:
            return line.rhythm


def play_bass(rng: Random, line: BassLine, bar: Bar) -> list[Note]:
    rhythm = bass_rhythm(line, bar.setting)
    notes = []
    for index, (position, length) in enumerate(
        zip(rhythm, lengths_to_next(rhythm, bar.setting.metre.beats), strict=True)
    ):
        root, third, fifth = bar.chord_at(position)
        pitch = C2 + bar.setting.key.tonic + root
        if line.kind == 'octaves':
            pitch = fold(pitch, BASS_LOWEST, OCTAVE) + OCTAVE * (index % 2)
        elif line.kind == 'riff':
            pitch += line.intervals[index]
        elif line.kind == 'bossa' and index % 2 == 1:
            pitch += FIFTH
        elif line.kind == 'walking' and position > 0:
            pitch += rng.choice([0, third - root, fifth - root, OCTAVE])
        velocity = rng.gauss(90, 5) + bar.accent_at(position)
        notes.append(
            Note(bar.start + position, length * 0.9, Channel.BASS, fold(pitch, BASS_LOWEST, 2 * OCTAVE), velocity)
        )
    return notes


@dataclass(frozen=True)
class MelodyNote:
    """A note of a melody: position in its bar and length in beats, and semitones above the tonic."""

    position: float
    length: float
    interval: int


# A melody, bar by bar.
Melody = list[list[MelodyNote]]


def draw_melody(
    rng: Random, setting: Setting, *, bars: int, density: float, syncopation: float, sounding: float
) -> Melody:
    """Draws a phrase that walks on two octaves of the scale; its rhythm repeats with variations.

    `sounding` is the share of the time to the next note for which a note sounds.
    """
    beats, scale = setting.metre.beats, setting.key.scale
    step = rng.choice([*setting.steps, 1])
    rhythms = [draw_rhythm(rng, beats, step, density, syncopation) for _ in range(max(1, bars // 2))]
    degree = rng.randrange(len(scale) * 2)
    melody = []
    for bar in range(bars):
        rhythm = rhythms[bar % len(rhythms)]
        if rng.random() < 0.2:
            rhythm = draw_rhythm(rng, beats, step, density, syncopation)
        if bar == bars - 1 and rng.random() < 0.5:
            # The phrase ends in the middle of its last bar.
            rhythm = [position for position in rhythm if position < beats / 2] or [0]
        notes = []
        for position, length in zip(rhythm, lengths_to_next(rhythm, beats), strict=True):
            degree = max(0, min(len(scale) * 2 - 1, degree + rng.choice([-3, -2, -1, -1, 0, 1, 1, 2, 3])))
            octave, step_of_scale = divmod(degree, len(scale))
            notes.append(MelodyNote(position, length * sounding, scale[step_of_scale] + OCTAVE * octave))
        melody.append(notes)
    return melody


def draw_lead(rng: Random, setting: Setting) -> Melody:
    return draw_melody(
        rng,
        setting,
        bars=rng.choice([2, 4, 4]),
        density=rng.uniform(0.35, 0.8),
        syncopation=rng.random() ** 1.5,
        sounding=rng.choice([0.5, 0.8, 0.95]),
    )


def draw_second_lead(rng: Random, setting: Setting) -> Melody:
    return draw_melody(
        rng,
        setting,
        bars=rng.choice([2, 4]),
        density=rng.uniform(0.3, 0.6),
        syncopation=rng.random(),
        sounding=rng.choice([0.5, 0.9]),
    )


def play_melody(rng: Random, melody: Melody, channel: Channel, bar: Bar) -> list[Note]:
    tonic = C4 + bar.setting.key.tonic
    return [
        Note(
            bar.start + note.position,
            note.length,
            channel,
            tonic + note.interval,
            rng.gauss(88, 7) + bar.accent_at(note.position) / 2,
        )
        for note in melody[bar.number_in_section % len(melody)]
    ]


@dataclass(frozen=True)
class ChordPart:
    """Chords. Kinds other than `long` sound for `length` (beats); `rhythm` are the positions of one kind."""

    kind: str
    rhythm: list[float]
    length: float


def draw_chords(rng: Random, setting: Setting) -> ChordPart:
    rhythm = draw_rhythm(
        rng, setting.metre.beats, rng.choice(setting.steps), rng.uniform(0.3, 0.6), syncopation=rng.random()
    )
    return ChordPart(rng.choice(CHORD_KINDS), rhythm, rng.choice([0.2, 0.4, 0.9]))


def chord_rhythm(part: ChordPart, setting: Setting) -> list[float]:
    beats = setting.metre.beats
    match part.kind:
        case 'long':
            return [0]
        case 'offbeats':
            return grid(beats, 1, 2 / 3 if setting.metre.is_ternary else 0.5)
        case 'beats':
            return grid(beats, 1)
        case 'divisions':
            return grid(beats, setting.steps[0])
        case 'backbeats':
            return [1, 3] if beats == 4 else grid(beats, 1, 1)
        case 'bossa' | 'anticipated' if not setting.metre.is_ternary:
            return within(BOSSA_CHORDS, beats) if part.kind == 'bossa' else [0, beats - 0.5]
        case _:
            return part.rhythm


def play_chords(rng: Random, part: ChordPart, bar: Bar) -> list[Note]:
    length = bar.setting.metre.beats * 0.95 if part.kind == 'long' else part.length
    return [
        Note(
            bar.start + position,
            length,
            Channel.CHORDS,
            fold(bar.setting.key.tonic + pitch, CHORDS_LOWEST, OCTAVE),
            rng.gauss(78, 5) + bar.accent_at(position),
        )
        for position in chord_rhythm(part, bar.setting)
        for pitch in bar.chord_at(position)
    ]


@dataclass(frozen=True)
class Arpeggio:
    """A broken chord: a note per `step` (beats). `order` are indices of root, third, fifth and octave."""

    step: float
    order: list[int]


def draw_arpeggio(rng: Random, setting: Setting) -> Arpeggio:
    notes = rng.choice([3, 6] if setting.metre.is_ternary else [4, 8])
    if rng.random() < 0.3:
        notes = rng.choice([3, 4, 4, 6, 8])
    return Arpeggio(rng.choice(setting.steps), [rng.choice([0, 1, 1, 2, 2, 3]) for _ in range(notes)])


def play_arpeggio(rng: Random, arpeggio: Arpeggio, bar: Bar) -> list[Note]:
    positions = grid(bar.setting.metre.beats, arpeggio.step)
    # The pattern runs on over bar lines.
    first = bar.number_in_section * len(positions)
    notes = []
    for index, position in enumerate(positions, first):
        chord = bar.chord_at(position)
        interval = [*chord, chord[0] + OCTAVE][arpeggio.order[index % len(arpeggio.order)]]
        notes.append(
            Note(
                bar.start + position,
                arpeggio.step * 1.1,
                Channel.ARPEGGIO,
                C4 + bar.setting.key.tonic + interval,
                rng.gauss(78, 4) + bar.accent_at(position) * 0.7,
            )
        )
    return notes


def play_pad(rng: Random, length: float, bar: Bar) -> list[Note]:
    """Plays a chord that sounds for some beats."""
    return [
        Note(
            bar.start,
            length,
            Channel.PAD,
            fold(bar.setting.key.tonic + pitch, PAD_LOWEST, OCTAVE),
            rng.gauss(70, 4),
        )
        for pitch in bar.chord_at(0)
    ]


@dataclass(frozen=True)
class Riff:
    """A figure of a bar: positions (beats), and semitones above the root. It may sound in fifths."""

    rhythm: list[float]
    intervals: list[int]
    sounding: float
    has_fifths: bool


def draw_riff(rng: Random, setting: Setting) -> Riff:
    rhythm = draw_rhythm(
        rng, setting.metre.beats, rng.choice(setting.steps), rng.uniform(0.4, 0.85), syncopation=rng.random()
    )
    third = 3 if setting.key.is_minor else 4
    intervals = [rng.choice([0, 0, 0, third, 5, FIFTH, 10, OCTAVE, -2]) for _ in rhythm]
    return Riff(rhythm, intervals, rng.choice([0.3, 0.7, 0.95]), has_fifths=rng.random() < 0.4)


def play_riff(rng: Random, riff: Riff, bar: Bar) -> list[Note]:
    lengths = lengths_to_next(riff.rhythm, bar.setting.metre.beats)
    notes = []
    for position, length, interval in zip(riff.rhythm, lengths, riff.intervals, strict=True):
        pitch = fold(bar.setting.key.tonic + bar.root_at(position) + interval, RIFF_LOWEST, 2 * OCTAVE)
        for key in [pitch, pitch + FIFTH] if riff.has_fifths else [pitch]:
            velocity = rng.gauss(88, 5) + bar.accent_at(position)
            notes.append(Note(bar.start + position, length * riff.sounding, Channel.RIFF, key, velocity))
    return notes
