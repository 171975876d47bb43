import { type Block, blockLength, monoOf, silentBlock, sliceBlock } from '../audio/pcm.ts'
import { similarity } from './align.ts'
import { crossfade } from './crossfade.ts'

/** Usual time between two splices, and the length of each crossfade (s). */
const spacing = 0.5
const fadeSeconds = 0.012
/** By how much a splice may move more or less than its share, and the step between tried positions (s). */
const freedom = 0.5
const positionStep = 0.012
/** The beginning stays as it is, so that its beats continue those before it: so many seconds, or this share of a short block. */
const untouched = { seconds: 4, share: 0.35 }
/** Frames that are skipped in comparisons, at 44.1 kHz: correlation needs no more than half the rate. */
const comparedEvery = 2

/** The part of a length (both in seconds or both in samples at `rate`) that may be stretched. */
export const stretchable = (length: number, rate: number): number =>
  length - Math.min(untouched.seconds * rate, untouched.share * length)

type Splice = {
  /** Frame at which the outgoing stretch ends its crossfade, and by how many frames the incoming one is further on. */
  readonly at: number
  readonly move: number
  readonly correlation: number
}

type SpliceSearch = {
  readonly from: number
  readonly to: number
  /** Moves that are tried, in frames. */
  readonly least: number
  readonly most: number
}

const thinned = (samples: Float32Array): Float32Array =>
  Float32Array.from({ length: Math.ceil(samples.length / comparedEvery) }, (_, i) => samples[i * comparedEvery] ?? 0)

/** The place and move at which a splice is least audible: where the waveform resembles itself most. */
const bestSplice = (mono: Float32Array, sampleRate: number, { from, to, least, most }: SpliceSearch): Splice => {
  const window = Math.round((fadeSeconds * sampleRate) / comparedEvery)
  const step = Math.round(positionStep * sampleRate)
  let best: Splice = { at: from, move: Math.round((least + most) / 2), correlation: -2 }
  for (let at = from; at <= to; at += step) {
    for (let move = least; move <= most; move += comparedEvery) {
      const [a, b] = [Math.round(at / comparedEvery) - window, Math.round((at + move) / comparedEvery) - window]
      if (a < 0 || b < 0 || Math.max(a, b) + window > mono.length) continue
      const correlation = similarity({ values: mono, at: a }, { values: mono, at: b }, window)
      if (correlation > best.correlation) best = { at, move, correlation }
    }
  }
  return best
}

/** How a change of length is spread: evenly, which is another tempo, or more and more, which is a tempo that changes. */
export type Course = 'even' | 'growing'

/** The share of the change that is done after a share of the way. */
const doneAfter: Record<Course, (share: number) => number> = { even: (share) => share, growing: (share) => share ** 2 }

/**
 * Makes a block a little longer or shorter without changing its pitch: at about two places a second it skips or repeats some
 * milliseconds, where the waveform resembles itself, with a short crossfade. Beats move by no more than their share. Meant for
 * a few per cent: each splice is 15 ms at 3 %.
 */
export const fitLength = (block: Block, frames: number, sampleRate: number, course: Course = 'even'): Block => {
  const length = blockLength(block)
  const excess = length - frames
  if (excess === 0) return block
  const mono = thinned(monoOf(block))
  const open = stretchable(length, sampleRate)
  const begin = length - open
  const count = Math.max(1, Math.round(open / (spacing * sampleRate)))
  const segment = open / (count + 1)
  const fade = Math.round(fadeSeconds * sampleRate)
  const result = silentBlock(block.length, frames)
  let [read, written, moved] = [0, 0, 0]
  const copyTo = (end: number) => {
    const some = Math.min(end - read, frames - written)
    for (const [index, channel] of block.entries()) result[index]?.set(channel.subarray(read, read + some), written)
    read += some
    written += some
  }
  for (let index = 1; index <= count; index++) {
    const share = excess * doneAfter[course](index / count) - moved
    const isLast = index === count
    const [a, b] = [share * (1 - freedom), share * (1 + freedom)]
    const least = Math.round(isLast ? share : Math.min(a, b))
    const most = Math.round(isLast ? share : Math.max(a, b))
    if (least === 0 && most === 0) continue
    // The last move is what is left, so only its place can be chosen.
    const from = Math.max(read + fade, Math.round(begin + (index - 0.45) * segment))
    const to = Math.max(from, Math.round(begin + (index + (isLast ? 0.45 : 0.35)) * segment))
    const splice = bestSplice(mono, sampleRate, { from, to, least, most })
    copyTo(Math.min(splice.at, length - Math.max(0, splice.move)))
    const incoming = sliceBlock(block, read + splice.move - fade, read + splice.move)
    const outgoing = sliceBlock(result, written - fade, written)
    if (blockLength(outgoing) === fade && blockLength(incoming) === fade)
      crossfade(outgoing, incoming, Math.max(0, splice.correlation))
    read += splice.move
    moved += splice.move
  }
  copyTo(length)
  return result
}
