"""Patterns of drums. Each function draws a variant of a style for a bar of some beats."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from random import Random

from score import Metre, grid, pick, some


class Drum(IntEnum):
    """Keys of the General MIDI percussion map."""

    KICK = 36
    SIDE_STICK = 37
    SNARE = 38
    CLAP = 39
    CLOSED_HI_HAT = 42
    FLOOR_TOM = 43
    PEDAL_HI_HAT = 44
    LOW_TOM = 45
    OPEN_HI_HAT = 46
    MID_TOM = 48
    CRASH = 49
    RIDE = 51
    TAMBOURINE = 54
    COWBELL = 56
    MARACAS = 70


TOMS = (Drum.MID_TOM, Drum.LOW_TOM, Drum.FLOOR_TOM)


@dataclass(frozen=True)
class Strokes:
    """The strokes of one drum: positions in the bar (beats), and their MIDI velocity."""

    drum: Drum
    positions: list[float]
    velocity: float


Pattern = list[Strokes]
Style = Callable[[Random, int], Pattern]


def backbeats(beats: int, otherwise: list[float]) -> list[float]:
    """The second and the fourth of four beats, or other positions in other bars."""
    return [1, 3] if beats == 4 else otherwise


def middle(beats: int) -> list[float]:
    """The beat in the middle of the bar, or the last of three."""
    return [2 if beats == 3 else beats // 2]


def first_and_middle(beats: int) -> list[float]:
    """The first beat, and the third of four."""
    return [0, 2] if beats == 4 else [0]


def rock(rng: Random, beats: int) -> Pattern:
    kicks = first_and_middle(beats)
    if rng.random() < 0.6:
        kicks += some(rng, [x for x in grid(beats, 0.5) if x not in kicks], 0.2)
    snares: list[float] = [1]
    if beats == 3:
        snares = [1, 2] if rng.random() < 0.5 else [2]
    return [
        Strokes(Drum.KICK, kicks, 100),
        Strokes(Drum.SNARE, backbeats(beats, snares), 95),
        Strokes(pick(rng, {Drum.CLOSED_HI_HAT: 2, Drum.RIDE: 1}), grid(beats, pick(rng, {0.5: 2, 0.25: 1, 1: 1})), 70),
    ]


def half_time(rng: Random, beats: int) -> Pattern:
    kicks = [0, *some(rng, [x for x in grid(beats, 0.5, 1) if x != beats / 2], 0.2)]
    return [
        Strokes(Drum.KICK, kicks, 105),
        Strokes(Drum.SNARE, middle(beats), 100),
        Strokes(Drum.CLOSED_HI_HAT, grid(beats, rng.choice([0.5, 0.25])), 65),
    ]


def four_on_the_floor(rng: Random, beats: int) -> Pattern:
    hi_hat = rng.choice([Drum.OPEN_HI_HAT, Drum.CLOSED_HI_HAT, Drum.PEDAL_HI_HAT])
    pattern = [
        Strokes(Drum.KICK, grid(beats, 1), 105),
        Strokes(hi_hat, grid(beats, 1, 0.5), rng.choice([60, 80, 95])),
    ]
    if rng.random() < 0.6:
        pattern.append(Strokes(rng.choice([Drum.SNARE, Drum.CLAP]), backbeats(beats, [1]), 85))
    if rng.random() < 0.4:
        pattern.append(Strokes(Drum.CLOSED_HI_HAT, grid(beats, 0.25), 45))
    return pattern


def funk(rng: Random, beats: int) -> Pattern:
    sixteenths = grid(beats, 0.25)
    snares = backbeats(beats, [beats - 1])
    return [
        Strokes(Drum.KICK, [0, *some(rng, sixteenths[1:], 0.18)], 100),
        Strokes(Drum.SNARE, snares, 100),
        Strokes(Drum.SNARE, some(rng, [x for x in sixteenths if x not in snares], 0.15), 35),
        Strokes(Drum.CLOSED_HI_HAT, some(rng, sixteenths, 0.9), 60),
    ]


def swing(rng: Random, beats: int) -> Pattern:
    skips = grid(beats, 1, 2 / 3)
    pattern = [
        Strokes(Drum.RIDE, grid(beats, 1) + skips[1::2], 80),
        Strokes(Drum.PEDAL_HI_HAT, backbeats(beats, [1, 2] if beats == 3 else [1]), 60),
        Strokes(Drum.SNARE, some(rng, skips, 0.25), 45),
    ]
    if rng.random() < 0.5:
        pattern.append(Strokes(Drum.KICK, grid(beats, 1), 50))
    return pattern


def shuffle(_: Random, beats: int) -> Pattern:
    return [
        Strokes(Drum.KICK, first_and_middle(beats), 100),
        Strokes(Drum.SNARE, backbeats(beats, [beats - 1]), 95),
        Strokes(Drum.CLOSED_HI_HAT, grid(beats, 1) + grid(beats, 1, 2 / 3), 70),
    ]


def bossa_nova(_: Random, beats: int) -> Pattern:
    return [
        Strokes(Drum.KICK, grid(beats, 2) + grid(beats, 2, 1.5), 80),
        Strokes(Drum.SIDE_STICK, [0, 1.5, 3] if beats == 4 else [0, 1.5], 80),
        Strokes(Drum.CLOSED_HI_HAT, grid(beats, 0.5), 55),
    ]


def reggae(rng: Random, beats: int) -> Pattern:
    return [
        Strokes(Drum.KICK, middle(beats), 100),
        Strokes(Drum.SIDE_STICK, middle(beats), 90),
        Strokes(Drum.CLOSED_HI_HAT, grid(beats, 0.5) if rng.random() < 0.5 else grid(beats, 1, 0.5), 70),
    ]


def march(rng: Random, beats: int) -> Pattern:
    pattern = [
        Strokes(Drum.KICK, first_and_middle(beats), 95),
        Strokes(Drum.SNARE, grid(beats, 1, 0.5) + some(rng, grid(beats, 1), 0.6), 70),
    ]
    if rng.random() < 0.3:
        pattern.append(Strokes(Drum.CRASH, [0], 50))
    return pattern


def polka(_: Random, beats: int) -> Pattern:
    return [Strokes(Drum.KICK, grid(beats, 1), 95), Strokes(Drum.SNARE, grid(beats, 1, 0.5), 75)]


def waltz(rng: Random, beats: int) -> Pattern:
    drum = rng.choice([Drum.SNARE, Drum.CLOSED_HI_HAT, Drum.SIDE_STICK])
    pattern = [Strokes(Drum.KICK, [0], 100), Strokes(drum, grid(beats, 1, 1), 70)]
    if rng.random() < 0.4:
        pattern.append(Strokes(Drum.CLOSED_HI_HAT, grid(beats, 0.5), 50))
    return pattern


def triplets(rng: Random, beats: int) -> Pattern:
    """A pattern for beats that divide into three."""
    thirds = grid(beats, 1 / 3)
    return [
        Strokes(Drum.KICK, [0, *some(rng, thirds[1:], 0.12)], 100),
        Strokes(Drum.SNARE, backbeats(beats, [beats - 1]), 95),
        Strokes(
            rng.choice([Drum.CLOSED_HI_HAT, Drum.RIDE, Drum.MARACAS]),
            thirds if rng.random() < 0.7 else grid(beats, 1),
            65,
        ),
    ]


def percussion(rng: Random, beats: int) -> Pattern:
    drum = rng.choice([Drum.MARACAS, Drum.TAMBOURINE, Drum.COWBELL, Drum.CLAP, Drum.SIDE_STICK])
    return [Strokes(drum, grid(beats, pick(rng, {1: 2, 0.5: 1, 0.25: 1})), 75)]


def claps(_: Random, beats: int) -> Pattern:
    return [Strokes(Drum.CLAP, backbeats(beats, grid(beats, 1, 1)), 90)]


def random_strokes(rng: Random, beats: int) -> Pattern:
    """Strokes without a style, which fall on beats twice as often as between them."""
    positions = grid(beats, rng.choice([0.5, 0.25]))
    extra = rng.choice([*TOMS, Drum.COWBELL, Drum.SIDE_STICK])
    return [
        Strokes(drum, [x for x in positions if rng.random() < probability * (2 if x % 1 == 0 else 1)], velocity)
        for drum, probability, velocity in (
            (Drum.KICK, 0.2, 100),
            (Drum.SNARE, 0.12, 90),
            (Drum.CLOSED_HI_HAT, 0.35, 60),
            (extra, 0.08, 80),
        )
    ]


@dataclass(frozen=True)
class StyleWeights:
    """How likely the styles are in straight bars of three beats, and of other numbers of beats."""

    three: Mapping[Style, float]
    other: Mapping[Style, float]


TERNARY: Mapping[Style, float] = {triplets: 4, percussion: 1}
SWUNG: Mapping[Style, float] = {shuffle: 2, swing: 1, rock: 1}
THREE: Mapping[Style, float] = {
    waltz: 2,
    rock: 1,
    funk: 1,
    percussion: 1,
    four_on_the_floor: 1,
    random_strokes: 1,
}
OTHER: Mapping[Style, float] = {
    rock: 5,
    half_time: 1,
    four_on_the_floor: 2,
    funk: 2,
    bossa_nova: 1,
    reggae: 1,
    march: 1,
    polka: 1,
    percussion: 1,
    claps: 1,
    random_strokes: 1,
}
TUNE_STYLES = StyleWeights(THREE, OTHER)
SONG_STYLES = StyleWeights({**THREE, rock: 2}, {**OTHER, rock: 7, four_on_the_floor: 3})


def draw_style(rng: Random, metre: Metre, is_swung: bool, weights: StyleWeights) -> Style:
    """Draws a style that suits the metre."""
    if metre.is_ternary:
        return pick(rng, TERNARY)
    if is_swung:
        return pick(rng, SWUNG)
    return pick(rng, weights.three if metre.beats == 3 else weights.other)
