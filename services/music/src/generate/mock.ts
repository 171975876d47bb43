import { silentBlock } from '../audio/pcm.ts'
import { createRandom } from '../dsp/random.ts'
import type { Generator } from './generator.ts'

/** Duration of a note, level, and the scale of the notes (A minor pentatonic, Hz). */
const noteSeconds = 0.25
const level = 0.2
const scale = [220, 261.63, 293.66, 329.63, 392, 440, 523.25, 587.33]

/** Fast, clearly audible and deterministic by seed: a plucked tune unrelated to the context. */
export const mockContinuation: Generator = async ({ context, frames, seed, onProgress, signal }) => {
  signal?.throwIfAborted()
  const { sampleRate, channels } = context
  const random = createRandom(seed)
  const block = silentBlock(channels, frames)
  const noteFrames = Math.round(noteSeconds * sampleRate)
  for (let start = 0; start < frames; start += noteFrames) {
    const hertz = scale[Math.floor(random.next() * scale.length)] ?? 440
    for (let i = 0; i < noteFrames && start + i < frames; i++) {
      const time = i / sampleRate
      const envelope = Math.min(1, time * 200, (noteFrames - i) / (0.01 * sampleRate)) * Math.exp(-4 * time)
      const value = level * envelope * Math.sin(2 * Math.PI * hertz * time)
      for (const channel of block) channel[start + i] = value
    }
    onProgress?.(Math.min(1, (start + noteFrames) / frames))
  }
  return { block, honored: [] }
}
