"""MIDI channels and General MIDI programs (counted from 0) of the parts. A program listed twice is twice as likely."""

from enum import IntEnum
from random import Random

from score import pick


class Channel(IntEnum):
    """MIDI channels. The voices of a tune use channels from 0 on, so a tune has no other part below `CHORDS`."""

    LEAD = 0
    SECOND_LEAD = 1
    ARPEGGIO = 2
    PAD = 3
    RIFF = 4
    CHORDS = 7
    BASS = 8
    DRUMS = 9


KEYBOARDS = (0, 1, 2, 4, 5, 6, 7, 16, 17, 19, 21)
MALLETS = (8, 9, 11, 12, 13, 108)
GUITARS = (24, 25, 26, 27, 28, 29, 30, 46, 104, 105)
STRINGS = (40, 41, 42, 44, 45, 48, 49, 50)
BRASS = (56, 57, 58, 60, 61, 62)
REEDS = (64, 65, 66, 68, 71, 22, 109)
PIPES = (72, 73, 74, 75, 78, 79)
SYNTHESIZERS = (80, 81, 82, 87, 85)

MELODY_FAMILIES: dict[tuple[int, ...], int] = {
    KEYBOARDS: 2,
    MALLETS: 1,
    GUITARS: 2,
    STRINGS: 2,
    BRASS: 1,
    REEDS: 1,
    PIPES: 1,
    SYNTHESIZERS: 1,
}
TUNE_BASSES = (32, 33, 34, 35, 38, 39, 43, 33, 32, 0, 58)
TUNE_CHORDS = (0, 1, 4, 5, 24, 25, 27, 16, 17, 48, 89, 46, 11, 21, 62)

SONG_PROGRAMS = {
    Channel.BASS: (32, 33, 34, 35, 36, 37, 38, 39, 33, 38, 58, 43),
    Channel.LEAD: (80, 81, 82, 84, 73, 56, 65, 66, 27, 29, 30, 0, 11, 40, 22, 61, 75, 4),
    Channel.SECOND_LEAD: (80, 81, 48, 61, 73, 71, 28, 12),
    Channel.CHORDS: (0, 1, 4, 5, 16, 18, 24, 25, 26, 27, 29, 30, 50, 48, 61, 62),
    Channel.ARPEGGIO: (0, 6, 11, 12, 24, 25, 46, 80, 81, 5, 8, 10, 88, 98),
    Channel.PAD: (48, 49, 50, 51, 52, 88, 89, 90, 91, 94, 95, 16),
    Channel.RIFF: (29, 30, 27, 28, 81, 38, 62, 61, 0, 87, 4, 7),
}


def melody_program(rng: Random) -> int:
    """Draws the program of a melody."""
    family = pick(rng, MELODY_FAMILIES)
    return rng.choice(family)


def song_programs(rng: Random) -> dict[int, int]:
    """Draws the program of each part of a song."""
    return {channel: rng.choice(programs) for channel, programs in SONG_PROGRAMS.items()}
