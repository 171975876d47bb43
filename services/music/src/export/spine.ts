import { concatenateAudio } from '../audio/audio-path.ts'
import { createLoudnessMeter } from '../audio/loudness.ts'
import { type Block, blockLength } from '../audio/pcm.ts'
import { blocksOf, type StoredAudio } from '../audio/stored-audio.ts'
import { createTruePeakMeter } from '../audio/true-peak.ts'

/** Target loudness of a normalised export, like that of streaming services (LUFS), and its maximum true peak (dB). */
const targetLufs = -14
const peakCeilingDb = -1

/**
 * Extends a piece beyond its end with its own end, reversed. The extension has the level and timbre of the end and joins it
 * without a step, so it can be faded out under the next piece.
 */
const mirroredTail = async (audio: StoredAudio, frames: number): Promise<Block> => {
  const length = Math.min(frames, audio.frames)
  const tail = await audio.read(audio.frames - length, length)
  return tail.map((channel) => channel.toReversed())
}

/**
 * Joins pieces without changing their total length. With a crossfade, each piece fades out over its own mirrored end under the
 * beginning of the next, which fades in: pieces do not overlap, so nothing is lost.
 */
export const joinSpine = (pieces: readonly StoredAudio[], crossfadeFrames: number): StoredAudio => {
  const whole = concatenateAudio(pieces)
  if (crossfadeFrames === 0) return whole
  const seams: { at: number; length: number; before: StoredAudio }[] = []
  let at = 0
  for (const [index, piece] of pieces.entries()) {
    const next = pieces[index + 1]
    at += piece.frames
    if (next) seams.push({ at, length: Math.min(crossfadeFrames, next.frames, piece.frames), before: piece })
  }
  const tails = new Map<number, Block>()
  const tailAt = async (seam: { at: number; length: number; before: StoredAudio }): Promise<Block> => {
    const known = tails.get(seam.at)
    if (known) return known
    tails.clear()
    const tail = await mirroredTail(seam.before, seam.length)
    tails.set(seam.at, tail)
    return tail
  }
  return {
    ...whole,
    async read(start, frames) {
      const block = await whole.read(start, frames)
      const end = start + blockLength(block)
      for (const seam of seams) {
        const [from, to] = [Math.max(start, seam.at), Math.min(end, seam.at + seam.length)]
        if (from >= to) continue
        const tail = await tailAt(seam)
        for (const [index, channel] of block.entries()) {
          const other = tail[index]
          for (let frame = from; frame < to; frame++) {
            const angle = ((frame - seam.at + 0.5) / seam.length) * (Math.PI / 2)
            const value =
              (channel[frame - start] ?? 0) * Math.sin(angle) + (other?.[frame - seam.at] ?? 0) * Math.cos(angle)
            channel[frame - start] = value
          }
        }
      }
      return block
    },
  }
}

/** The gain (linear) that brings a piece to TARGET_LUFS, or as near as its true peaks allow. 1 for silence. */
export const normalisingGain = async (audio: StoredAudio, signal?: AbortSignal): Promise<number> => {
  const loudness = createLoudnessMeter(audio)
  const peaks = createTruePeakMeter(audio.sampleRate, audio.channels)
  for await (const block of blocksOf(audio, signal)) {
    loudness.push(block)
    peaks.push(block)
  }
  const [integrated, peak] = [loudness.integrated(), peaks.finish()]
  if (integrated === null || peak === 0) return 1
  return Math.min(10 ** ((targetLufs - integrated) / 20), 10 ** (peakCeilingDb / 20) / peak)
}

/** A piece with a gain applied. */
export const withGain = (audio: StoredAudio, gain: number): StoredAudio => ({
  ...audio,
  async read(start, frames) {
    const block = await audio.read(start, frames)
    for (const channel of block) for (let i = 0; i < channel.length; i++) channel[i] = (channel[i] ?? 0) * gain
    return block
  },
})
