import { type Block, blockLength, joinBlocks, monoOf, silentBlock, sliceBlock } from '../../audio/pcm.ts'
import { createResampler } from '../../audio/resample.ts'
import { blocksOf, type StoredAudio } from '../../audio/stored-audio.ts'
import type { Estimates, SeparationOptions, Separator } from '../separator.ts'
import { type StemName, stemNames } from '../stem-names.ts'
import { createConsistency } from './consistent.ts'
import type { StemModel } from './model-folder.ts'
import { openStemNetwork, type StemNetwork } from './open-network.ts'
import { resampledAudio } from './resampled-audio.ts'

/** Share of a stretch that overlaps the next one, as in Demucs. */
const overlapShare = 0.25

/** Mean and deviation of a piece in mono, by which models expect their input to be scaled. */
const scaleOf = async (audio: StoredAudio, signal: AbortSignal): Promise<{ mean: number; deviation: number }> => {
  let [sum, squares] = [0, 0]
  for await (const block of blocksOf(audio, signal)) {
    for (const value of monoOf(block)) {
      sum += value
      squares += value * value
    }
  }
  const mean = sum / audio.frames
  return { mean, deviation: Math.sqrt(Math.max(1e-16, squares / audio.frames - mean * mean)) }
}

/** A stretch in stereo, padded with silence at its end. */
const stereo = (block: Block, frames: number, convert: (value: number) => number): Block => {
  const [left = new Float32Array(0), right = left] = block
  return [left, right].map((channel) => {
    const out = new Float32Array(frames)
    for (let i = 0; i < channel.length; i++) out[i] = convert(channel[i] ?? 0)
    return out
  })
}

/** Weight of each frame of a stretch: a triangle, so that stretches fade into one another. */
const triangle = (frames: number): Float32Array =>
  Float32Array.from({ length: frames }, (_, i) => Math.min(i + 1, frames - i) / (frames / 2))

/** Estimates of all stems in the model's order, at its sample rate, stretch by stretch. */
async function* modelEstimates(
  audio: StoredAudio,
  { network, model, signal }: { network: StemNetwork; model: StemModel; signal: AbortSignal },
): AsyncGenerator<Block[]> {
  const { frames } = network
  const { mean, deviation } = model.normalize ? await scaleOf(audio, signal) : { mean: 0, deviation: 1 }
  const step = Math.round(frames * (1 - overlapShare))
  const weights = triangle(frames)
  const empty = () => silentBlock(2, frames)
  let sums = stemNames.map(empty)
  let totals = new Float32Array(frames)
  for (let start = 0; start < audio.frames; start += step) {
    signal.throwIfAborted()
    const stretch = stereo(await audio.read(start, frames), frames, (value) => (value - mean) / deviation)
    for (const [stem, block] of (await network.separate(stretch)).entries())
      for (const [index, channel] of block.entries()) {
        const sum = sums[stem]?.[index]
        if (sum) for (let i = 0; i < frames; i++) sum[i] = (sum[i] ?? 0) + (weights[i] ?? 0) * (channel[i] ?? 0)
      }
    for (let i = 0; i < frames; i++) totals[i] = (totals[i] ?? 0) + (weights[i] ?? 0)
    const isLast = start + step >= audio.frames
    const done = isLast ? audio.frames - start : step
    yield sums.map((block) =>
      block.map((sum) =>
        Float32Array.from(sum.subarray(0, done), (value, i) => (deviation * value) / (totals[i] || 1) + mean / 4),
      ),
    )
    // What overlaps the next stretch moves to its beginning.
    sums = sums.map((block) =>
      block.map((sum) => {
        const moved = new Float32Array(frames)
        moved.set(sum.subarray(step))
        return moved
      }),
    )
    const moved = new Float32Array(frames)
    moved.set(totals.subarray(step))
    totals = moved
  }
}

/** One channel, if the piece has one: the mean of both. */
const inChannels = (block: Block, channels: number): Block => (channels === 1 ? [monoOf(block)] : block)

/** Converts estimates to the rate and the channels of a piece, as long as the piece. */
async function* inShapeOf(
  audio: StoredAudio,
  estimates: AsyncIterable<Block[]>,
  sampleRate: number,
): AsyncGenerator<Block[]> {
  const resamplers = stemNames.map(() =>
    Array.from({ length: audio.channels }, () => createResampler(sampleRate, audio.sampleRate)),
  )
  let left = audio.frames
  const limited = (stems: Block[]): Block[] => {
    const length = Math.min(left, blockLength(stems[0] ?? []))
    left -= length
    return stems.map((stem) => sliceBlock(stem, 0, length))
  }
  for await (const stems of estimates)
    yield limited(
      stems.map((stem, index) =>
        inChannels(stem, audio.channels).map(
          (channel, at) => resamplers[index]?.[at]?.push(channel) ?? new Float32Array(0),
        ),
      ),
    )
  const tails = resamplers.map((channels) => channels.map((resampler) => resampler.flush()))
  yield limited(tails.map((tail) => joinBlocks([tail, silentBlock(audio.channels, left)], audio.channels)))
}

/** Separates pieces with a model. The same samples yield the same estimates on the same machine. */
export const separateByModel = (model: StemModel): Separator =>
  async function* (audio: StoredAudio, { signal, onProgress }: SeparationOptions): AsyncGenerator<Estimates> {
    const network = await openStemNetwork(model)
    try {
      const source = resampledAudio(audio, model.sampleRate)
      const estimates = modelEstimates(source, { network, model, signal })
      const complete = createConsistency(audio.sampleRate, { stems: stemNames.length, channels: audio.channels })
      let start = 0
      for await (const stems of inShapeOf(audio, estimates, model.sampleRate)) {
        const length = blockLength(stems[0] ?? [])
        complete(stems, await audio.read(start, length))
        const stem = (name: StemName): Block => stems[model.stems.indexOf(name)] ?? silentBlock(audio.channels, length)
        yield { start, stems: [stem('vocals'), stem('drums'), stem('bass')] }
        start += length
        onProgress(start / audio.frames)
      }
    } finally {
      await network.release()
    }
  }
