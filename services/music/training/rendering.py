"""Renders performances with FluidSynth, and writes WAV files."""

import wave
from pathlib import Path
from random import Random

import fluidsynth
import numpy as np

from instruments import Channel
from performance import CHANNELS, Performance, PlayedNote

SAMPLE_RATE = 44_100
GAIN = 0.35
# Reverberation lasts no longer, in seconds.
MAX_REVERBERATION = 1
# Presets of the bank of drum kits, which SoundFonts may lack except for the first.
DRUM_BANK = 128
DRUM_KITS = (0, 0, 0, 8, 16, 24, 25, 32, 40)
# MIDI controllers.
VOLUME, PAN, REVERB = 7, 10, 91
# Pieces whose highest sample (16 bit) is lower are silent: their parts have no notes, or the font lacks the programs.
MIN_PEAK = 300
FULL_SCALE = 32_767


class SoundFontPlayer:
    """A synthesizer with a SoundFont."""

    def __init__(self, font: Path) -> None:
        # A large SoundFont is loaded quickly if its samples are only read when a program uses them.
        options = {'synth.dynamic-sample-loading': 1}
        self._synth = fluidsynth.Synth(gain=GAIN, samplerate=SAMPLE_RATE, **options)
        self._font = self._synth.sfload(str(font))
        if self._font < 0:
            raise ValueError(f'{font} is not a SoundFont that FluidSynth reads.')

    def render(self, rng: Random, performance: Performance) -> np.ndarray | None:
        """Renders a performance with a mix drawn by chance: 16-bit samples in two columns, or None if it is silent."""
        self._silence()
        self._draw_mix(rng)
        self._select_programs(rng, performance)
        samples = self._play(performance)[round(performance.cut * SAMPLE_RATE) :]
        peak = np.abs(samples).max(initial=0)
        if peak < MIN_PEAK:
            return None
        return (samples * (rng.uniform(0.3, 0.95) * FULL_SCALE / peak)).astype('<i2')

    def _silence(self) -> None:
        """Stops the previous piece, and waits until its reverberation has died away."""
        for channel in range(CHANNELS):
            self._synth.all_sounds_off(channel)
        self._synth.get_samples(MAX_REVERBERATION * SAMPLE_RATE)

    def _draw_mix(self, rng: Random) -> None:
        """Draws the volume, the place and the reverberation of each channel."""
        for channel in range(CHANNELS):
            self._synth.cc(channel, VOLUME, rng.randint(70, 120))
            self._synth.cc(channel, PAN, rng.randint(30, 98))
            self._synth.cc(channel, REVERB, rng.choice([0, 20, 60, 100]))
        self._synth.cc(Channel.DRUMS, VOLUME, rng.randint(60, 127))
        self._synth.cc(Channel.BASS, VOLUME, rng.randint(80, 120))

    def _select_programs(self, rng: Random, performance: Performance) -> None:
        for channel, program in performance.score.programs.items():
            self._synth.program_select(channel, self._font, 0, program)
        kit = rng.choice(DRUM_KITS)
        if self._synth.sfpreset_name(self._font, DRUM_BANK, kit) is None:
            kit = DRUM_KITS[0]
        self._synth.program_select(Channel.DRUMS, self._font, DRUM_BANK, kit)

    def _play(self, performance: Performance) -> np.ndarray:
        """Plays from the start to the end of a performance: samples in two columns."""
        blocks = []
        position = 0

        def advance(time: float) -> None:
            nonlocal position
            count = int(time * SAMPLE_RATE) - position
            if count > 0:
                blocks.append(self._synth.get_samples(count))
                position += count

        for time, is_start, note in note_events(performance.notes):
            if time > performance.end:
                break
            advance(time)
            key = max(0, min(127, note.pitch))
            if is_start:
                self._synth.noteon(note.channel, key, note.velocity)
            else:
                self._synth.noteoff(note.channel, key)
        advance(performance.end)
        return np.concatenate(blocks).astype(np.float32).reshape(-1, 2)


def note_events(notes: list[PlayedNote]) -> list[tuple[float, bool, PlayedNote]]:
    """Starts (True) and ends (False) of notes in time order. Ends come first, so a repeated note sounds again."""
    events = [event for note in notes for event in ((note.start, True, note), (note.end, False, note))]
    return sorted(events, key=lambda event: event[:2])


def write_wav(path: Path, samples: np.ndarray) -> None:
    """Writes 16-bit samples, a column per channel."""
    with wave.open(str(path), 'wb') as file:
        file.setnchannels(samples.shape[1])
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        file.writeframes(samples.tobytes())
