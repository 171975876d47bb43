"""Invents a song: sections of two kinds, in each of which some parts play."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from drum_part import DrumPart, play_drums
from drum_patterns import SONG_STYLES, Pattern, Style, bossa_nova, draw_style, funk, reggae
from instruments import Channel, song_programs
from score import Metre, Note, Score, draw_tempo, is_multiple, pick
from song_parts import (
    Arpeggio,
    BassLine,
    ChordPart,
    Melody,
    Riff,
    draw_arpeggio,
    draw_bass,
    draw_chords,
    draw_lead,
    draw_riff,
    draw_second_lead,
    play_arpeggio,
    play_bass,
    play_chords,
    play_melody,
    play_pad,
    play_riff,
)
from song_setting import Bar, Key, Setting

# How likely each part is to be in a song.
PARTS = {
    'drums': 0.78,
    'bass': 0.8,
    'lead': 0.7,
    'second_lead': 0.2,
    'chords': 0.5,
    'arpeggio': 0.35,
    'pad': 0.35,
    'riff': 0.4,
}
# Parts of which at least one plays in each section.
CARRYING_PARTS = ('drums', 'bass', 'lead', 'chords', 'arpeggio', 'riff')
# The shortest time between notes of a part, in seconds.
MIN_STEP = 0.095
# Roots of chords, in semitones above the tonic.
MINOR_ROOTS, MAJOR_ROOTS = (0, 5, 7, 8, 10, 3), (0, 5, 7, 9, 2, 4)
MINOR, MAJOR = (0, 2, 3, 5, 7, 8, 10), (0, 2, 4, 5, 7, 9, 11)
MINOR_PENTATONIC, MAJOR_PENTATONIC = (0, 3, 5, 7, 10), (0, 2, 4, 7, 9)


@dataclass(frozen=True)
class Harmony:
    """Chords of the two kinds of section as roots, and how long a chord lasts: whole bars, or half a bar (0.5)."""

    progressions: tuple[list[int], list[int]]
    bars_per_chord: float

    def roots(self, kind: int, bar: int) -> tuple[int, ...]:
        """The roots of the chords in a bar of the song."""
        chords_per_bar = max(1, round(1 / self.bars_per_chord))
        progression = self.progressions[kind]
        first = int(bar / self.bars_per_chord)
        return tuple(progression[(first + i) % len(progression)] for i in range(chords_per_bar))


@dataclass(frozen=True)
class Material:
    """What the parts play in sections of a kind."""

    bass: BassLine
    lead: Melody
    second_lead: Melody
    chords: ChordPart
    arpeggio: Arpeggio
    riff: Riff
    drums: list[Pattern]


@dataclass(frozen=True)
class Section:
    """A section: which of the two kinds of material it has, and which parts play."""

    kind: int
    playing: Mapping[str, bool]


def draw_metre(rng: Random) -> Metre:
    beats = pick(rng, {4: 12, 3: 5, 2: 4, 5: 1})
    return Metre(beats, 3 if rng.random() < (0.6 if beats == 2 else 0.08) else 2)


def playable_steps(metre: Metre, bpm: float) -> tuple[float, ...]:
    """Divisions of a beat, and halves of them, that are not too fast to play; else whole beats."""
    steps = (metre.division, metre.division / 2)
    return tuple(step for step in steps if step * 60 / bpm > MIN_STEP) or (1,)


def draw_key(rng: Random) -> Key:
    is_minor = rng.random() < 0.6
    seven_notes, five_notes = (MINOR, MINOR_PENTATONIC) if is_minor else (MAJOR, MAJOR_PENTATONIC)
    return Key(rng.randrange(12), is_minor, scale=five_notes if rng.random() < 0.3 else seven_notes)


def draw_harmony(rng: Random, setting: Setting) -> Harmony:
    roots = MINOR_ROOTS if setting.key.is_minor else MAJOR_ROOTS
    chords = rng.choice([2, 4, 4, 4, 8])
    first, second = ([rng.choice(roots) for _ in range(chords)] for _ in range(2))
    # The first kind of section begins on the tonic.
    first[0] = 0
    return Harmony((first, second), rng.choice([1, 1, 1, 2, 0.5 if setting.metre.beats == 4 else 1, 4]))


def draw_parts(rng: Random) -> dict[str, bool]:
    parts = {part: rng.random() < probability for part, probability in PARTS.items()}
    if sum(parts.values()) < 2:
        parts.update(drums=True, bass=True)
    if not any(parts[part] for part in CARRYING_PARTS):
        parts['riff'] = True
    return parts


def draw_section(rng: Random, parts: Mapping[str, bool], is_first: bool) -> Section:
    """Draws a section. The first is of the first kind, and more of its parts are silent."""
    kind = 0 if is_first or rng.random() < 2 / 3 else 1
    probability = 0.705 if is_first else 0.86
    playing = {part: parts[part] and rng.random() < probability for part in parts}
    if not any(playing[part] for part in CARRYING_PARTS):
        playing = dict(parts)
    return Section(kind, playing)


def without_fast_strokes(pattern: Pattern, shortest: float) -> Pattern:
    """A pattern without the strokes between multiples of the shortest step (beats)."""
    return [
        replace(strokes, positions=[x for x in strokes.positions if is_multiple(x, shortest)]) for strokes in pattern
    ]


@dataclass(frozen=True)
class Genre:
    """Parts that belong together: a style of drums, and kinds of bass and chords. Their accents are off the beat."""

    drums: Style
    bass: str
    chords: tuple[str, ...]


GENRES = (
    Genre(bossa_nova, 'bossa', ('bossa', 'bossa', 'rhythm')),
    Genre(reggae, 'without_first', ('backbeats', 'offbeats')),
    Genre(funk, 'riff', ('rhythm', 'anticipated')),
)
# How often a song in four straight beats is of a genre.
GENRE_SHARE = 0.2


def apply_genre(rng: Random, genre: Genre, material: Material, setting: Setting) -> Material:
    """Replaces the drums, and the kinds of bass and chords, by those of a genre."""
    patterns = [genre.drums(rng, setting.metre.beats) for _ in range(rng.choice([1, 2]))]
    return replace(
        material,
        bass=replace(material.bass, kind=genre.bass),
        chords=replace(material.chords, kind=rng.choice(genre.chords)),
        drums=[without_fast_strokes(pattern, setting.steps[-1]) for pattern in patterns],
    )


def draw_patterns(rng: Random, setting: Setting, is_swung: bool) -> list[Pattern]:
    """Draws one or two patterns of drums. Straight patterns lose strokes that are too fast to play."""
    style = draw_style(rng, setting.metre, is_swung, SONG_STYLES)
    patterns = [style(rng, setting.metre.beats) for _ in range(rng.choice([1, 2]))]
    if is_swung or setting.metre.is_ternary:
        return patterns
    return [without_fast_strokes(pattern, setting.steps[-1]) for pattern in patterns]


def draw_material(rng: Random, setting: Setting, is_swung: bool) -> Material:
    return Material(
        bass=draw_bass(rng, setting),
        lead=draw_lead(rng, setting),
        second_lead=draw_second_lead(rng, setting),
        chords=draw_chords(rng, setting),
        arpeggio=draw_arpeggio(rng, setting),
        riff=draw_riff(rng, setting),
        drums=draw_patterns(rng, setting, is_swung),
    )


def draw_materials(rng: Random, setting: Setting, is_swung: bool) -> tuple[Material, Material]:
    """Draws the material of both kinds of section. Drums and bass are often the same in both."""
    first, second = (draw_material(rng, setting, is_swung) for _ in range(2))
    if setting.metre == Metre(4, 2) and not is_swung and rng.random() < GENRE_SHARE:
        genre = rng.choice(GENRES)
        first, second = (apply_genre(rng, genre, material, setting) for material in (first, second))
    if rng.random() < 0.5:
        second = replace(second, drums=first.drums)
    if rng.random() < 0.4:
        second = replace(second, bass=first.bass)
    return first, second


def draw_drum_parts(
    rng: Random, materials: Sequence[Material], setting: Setting, bars_per_section: int
) -> list[DrumPart]:
    """Draws the drums of each kind of section: fills and loudness are the same."""
    bars_per_fill = rng.choice([0, 4, 8])
    loudness = rng.uniform(0.7, 1.2)
    return [
        DrumPart(
            patterns=material.drums,
            bars_per_pattern=1,
            bars_per_fill=bars_per_fill,
            bars_per_crash=bars_per_section,
            loudness=loudness,
            fill_steps=setting.steps,
        )
        for material in materials
    ]


def play_pitched(rng: Random, material: Material, section: Section, bar: Bar) -> list[Note]:
    """Plays a bar of all parts but drums and pad."""
    players = {
        'bass': lambda: play_bass(rng, material.bass, bar),
        'lead': lambda: play_melody(rng, material.lead, Channel.LEAD, bar),
        'second_lead': lambda: play_melody(rng, material.second_lead, Channel.SECOND_LEAD, bar),
        'chords': lambda: play_chords(rng, material.chords, bar),
        'arpeggio': lambda: play_arpeggio(rng, material.arpeggio, bar),
        'riff': lambda: play_riff(rng, material.riff, bar),
    }
    return [note for part, play in players.items() if section.playing[part] for note in play()]


def invent_song(rng: Random) -> Score:
    """Invents a song of 24 to 44 s."""
    metre = draw_metre(rng)
    bpm = draw_tempo(rng, 95 if metre.is_ternary else 118, octaves=0.38, usual=0.3)
    beats = int(rng.uniform(24, 44) * bpm / 60) + 2
    is_swung = not metre.is_ternary and rng.random() < 0.13
    setting = Setting(draw_key(rng), metre, playable_steps(metre, bpm))
    parts = draw_parts(rng)
    return Score(
        style='song',
        time_signature=(metre.beats, 4),
        metre=metre,
        bpm=bpm,
        beats=beats,
        is_swung=is_swung,
        parts=parts,
        programs=song_programs(rng),
        notes=play_song(rng, setting, parts, bars=beats // metre.beats + 1, is_swung=is_swung),
    )


def play_song(rng: Random, setting: Setting, parts: Mapping[str, bool], *, bars: int, is_swung: bool) -> list[Note]:
    """Plays some bars of a song, of which a few are silent."""
    beats = setting.metre.beats
    harmony = draw_harmony(rng, setting)
    materials = draw_materials(rng, setting, is_swung)
    bars_per_section = rng.choice([4, 8, 8, 16])
    sections = [draw_section(rng, parts, is_first=start == 0) for start in range(0, bars, bars_per_section)]
    drum_parts = draw_drum_parts(rng, materials, setting, bars_per_section)
    accent = rng.choice([0, 3, 8, 14])
    notes = []
    for number in range(bars):
        if rng.random() < 0.01:
            continue
        section_number, number_in_section = divmod(number, bars_per_section)
        section = sections[section_number]
        bar = Bar(setting, number, number_in_section, harmony.roots(section.kind, number), accent)
        notes += play_pitched(rng, materials[section.kind], section, bar)
        if section.playing['pad'] and number % max(1, harmony.bars_per_chord) == 0:
            notes += play_pad(rng, harmony.bars_per_chord * beats * 0.98, bar)
        if section.playing['drums']:
            notes += play_drums(rng, drum_parts[section.kind], number, beats)
    return notes
