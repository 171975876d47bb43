/** An example tune, made here rather than shipped: four bars of a melody in C major with bass and a beat, at 110 beats per minute. */
const beatsPerMinute = 110
const sampleRate = 22_050

const secondsPerBeat = 60 / beatsPerMinute
/** Semitones from A4 of the roots of C, Am, F and G, a bar each. */
const roots = [-9, -12, -16, -14]
const thirds = [4, 3, 4, 4]
const melody = [0, 7, 12, 7, 4, 7, 12, 16]
const beats = roots.length * 4

const frequency = (semitones: number): number => 440 * 2 ** (semitones / 12)

type Note = { start: number; seconds: number; hertz: number; gain: number; overtones: readonly number[] }

const notes = (): Note[] =>
  roots.flatMap((root, bar) => {
    const at = (beat: number) => (bar * 4 + beat) * secondsPerBeat
    const third = thirds[bar] ?? 4
    const lead = melody.map((step, index) => ({
      start: at(index / 2),
      seconds: secondsPerBeat * 0.9,
      hertz: frequency(root + 12 + (step === 4 ? third : step === 16 ? third + 12 : step)),
      gain: 0.16,
      overtones: [1, 0.5, 0.25, 0.1],
    }))
    const bass = [0, 2].map((beat) => ({
      start: at(beat),
      seconds: secondsPerBeat * 1.8,
      hertz: frequency(root - 12),
      gain: 0.28,
      overtones: [1, 0.3],
    }))
    return [...lead, ...bass]
  })

const addNote = (samples: Float32Array, { start, seconds, hertz, gain, overtones }: Note): void => {
  const first = Math.round(start * sampleRate)
  const count = Math.round(seconds * sampleRate)
  for (let index = 0; index < count && first + index < samples.length; index += 1) {
    const time = index / sampleRate
    const envelope = Math.min(1, time / 0.01) * Math.exp(-3 * (time / seconds))
    let value = 0
    for (const [harmonic, strength] of overtones.entries())
      value += strength * Math.sin(2 * Math.PI * hertz * (harmonic + 1) * time)
    samples[first + index] = (samples[first + index] ?? 0) + gain * envelope * value
  }
}

/** A drum on each beat: low ones on 1 and 3, noise on 2 and 4. */
const addBeat = (samples: Float32Array, beat: number): void => {
  const first = Math.round(beat * secondsPerBeat * sampleRate)
  const isLow = beat % 2 === 0
  let noise = 12_345 + beat
  for (let index = 0; index < sampleRate * 0.12 && first + index < samples.length; index += 1) {
    const time = index / sampleRate
    noise = (noise * 1_103_515_245 + 12_345) % 2 ** 31
    const sound = isLow ? Math.sin(2 * Math.PI * (55 + 90 * Math.exp(-40 * time)) * time) : noise / 2 ** 30 - 1
    samples[first + index] =
      (samples[first + index] ?? 0) + (isLow ? 0.5 : 0.14) * Math.exp(-(isLow ? 22 : 38) * time) * sound
  }
}

export const exampleTune = (): Float32Array => {
  const samples = new Float32Array(Math.round(beats * secondsPerBeat * sampleRate))
  for (const note of notes()) addNote(samples, note)
  for (let beat = 0; beat < beats; beat += 1) addBeat(samples, beat)
  return samples
}

/** A mono 16-bit WAV file. */
export const toWav = (samples: Float32Array, rate = sampleRate): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(44 + samples.length * 2)
  const view = new DataView(bytes.buffer)
  const text = (offset: number, value: string): void => {
    for (const [index, letter] of [...value].entries()) view.setUint8(offset + index, letter.charCodeAt(0))
  }
  text(0, 'RIFF')
  view.setUint32(4, 36 + samples.length * 2, true)
  text(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, rate, true)
  view.setUint32(28, rate * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  text(36, 'data')
  view.setUint32(40, samples.length * 2, true)
  for (const [index, sample] of samples.entries())
    view.setInt16(44 + index * 2, Math.round(Math.max(-1, Math.min(1, sample)) * 32_767), true)
  return bytes
}
