/** Generates a tune as a 16-bit mono WAV, always the same bytes: a beat, a bass and chords at a steady tempo. */
export const tune = ({ seconds = 12, sampleRate = 22_050, bpm = 120 } = {}): Buffer => {
  const frames = Math.round(seconds * sampleRate)
  const wav = Buffer.alloc(44 + frames * 2)
  wav.write('RIFF', 0)
  wav.writeUInt32LE(36 + frames * 2, 4)
  wav.write('WAVEfmt ', 8)
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(sampleRate, 24)
  wav.writeUInt32LE(sampleRate * 2, 28)
  wav.writeUInt16LE(2, 32)
  wav.writeUInt16LE(16, 34)
  wav.write('data', 36)
  wav.writeUInt32LE(frames * 2, 40)
  const beat = 60 / bpm
  const roots = [220, 174.61, 261.63, 196]
  let noise = 1
  for (let frame = 0; frame < frames; frame += 1) {
    const time = frame / sampleRate
    const inBeat = time % beat
    const root = roots[Math.floor(time / (4 * beat)) % 4] ?? 220
    noise = (noise * 16_807) % 2_147_483_647
    const kick = Math.sin(2 * Math.PI * 60 * inBeat) * Math.exp(-inBeat * 18)
    const hat = (noise / 2_147_483_647 - 0.5) * Math.exp(-((time % (beat / 2)) * 60))
    const chord = [1, 1.25, 1.5].reduce((sum, ratio) => sum + Math.sin(2 * Math.PI * root * ratio * time), 0) / 3
    const value = 0.5 * kick + 0.2 * hat + 0.25 * chord + 0.2 * Math.sin(Math.PI * root * time)
    wav.writeInt16LE(Math.round(Math.max(-1, Math.min(1, value)) * 30_000), 44 + frame * 2)
  }
  return wav
}
