import { type Block, blockLength, joinBlocks, monoOf, sliceBlock } from '../../audio/pcm.ts'
import { AudioRefused } from '../../audio/refusal.ts'
import type { StoredAudio } from '../../audio/stored-audio.ts'
import { createRandom } from '../../dsp/random.ts'
import { clamp } from '../../dsp/statistics.ts'
import { similarity } from '../align.ts'
import { extrapolate } from '../extrapolate.ts'
import { fadeFromPast } from '../first-fade.ts'
import type { ContinuationRequest, Generator } from '../generator.ts'
import { usualContextSeconds } from '../model-setting.ts'
import { silence } from '../silence.ts'
import { limitToSource } from '../source-peak.ts'
import { inChannels, stretchAtRate, tailAtRate } from './fit-audio.ts'
import type { MusicModel } from './open-model.ts'
import { addFrames } from './windows.ts'

/** The fade at the seam, and the stretch that correlations of it are computed from (s). */
const fadeSeconds = 0.05
/** Maximum time by which a model's output may be off its input, and the stretch by which that is found (s). */
const lagSeconds = 0.012
const comparedSeconds = 0.3
/** Below this similarity the context as the model returns it does not determine its time. */
const minSimilarity = 0.3
/** Stretch by which levels are matched (s), and the largest change of level. */
const levelSeconds = 3
const largestGain = 4
/** Audio generated beyond the end, for alignment (s). */
const spareSeconds = 0.05

/** Shares of the progress before and after generating frames. */
const shares = { encoded: 0.05, generated: 0.95 }

const powerOf = (samples: Float32Array): number => samples.reduce((sum, value) => sum + value * value, 0)

/** Samples by which the context comes later out of the model than it went in; 0 if that cannot be determined. */
const lagOf = (context: Float32Array, returned: Float32Array, sampleRate: number): number => {
  const reach = Math.round(lagSeconds * sampleRate)
  const length = Math.min(Math.round(comparedSeconds * sampleRate), context.length - 2 * reach)
  if (length < reach) return 0
  const at = context.length - length - reach
  let [best, score] = [0, minSimilarity]
  for (let lag = -reach; lag <= reach; lag++) {
    const found = similarity({ values: context, at }, { values: returned, at: at + lag }, length)
    if (found > score || (found === score && Math.abs(lag) < Math.abs(best))) [best, score] = [lag, found]
  }
  return best
}

/** The factor by which the context, as the model returns it, has its own level. */
const gainOf = (context: Float32Array, returned: Float32Array, sampleRate: number): number => {
  const length = Math.min(context.length, Math.round(levelSeconds * sampleRate))
  const tail = (samples: Float32Array) => samples.subarray(context.length - length, context.length)
  const [own, other] = [powerOf(tail(context)), powerOf(tail(returned))]
  return other > 0 ? clamp(Math.sqrt(own / other), 1 / largestGain, largestGain) : 1
}

/** The end of the piece in the shape of the model: whole frames of at most its longest context. */
const contextFor = async (model: MusicModel, { context, contextFrames = 0 }: ContinuationRequest): Promise<Block> => {
  const { sample_rate: rate, hop, channels } = model.manifest
  const requested = contextFrames > 0 ? contextFrames / context.sampleRate : usualContextSeconds
  const seconds = Math.min(requested, model.contextSeconds, context.frames / context.sampleRate)
  const frames = Math.floor((seconds * rate) / hop)
  if (frames < 1)
    throw new AudioRefused('too_short', `The context is too short: the model needs at least ${hop / rate} s.`)
  const block = inChannels(await tailAtRate(context, rate, frames * hop), channels)
  if (!block.some((channel) => channel.some((value) => Math.abs(value) >= silence)))
    throw new AudioRefused('silent', 'The context is silent: there is nothing to continue from.')
  return block
}

/** Joins a continuation to the last samples of its source. */
const joinToSource = async (block: Block, source: StoredAudio): Promise<void> => {
  const { sampleRate } = source
  const reach = Math.min(source.frames, sampleRate)
  const past = await source.read(source.frames - reach, reach)
  const frames = Math.min(Math.round(fadeSeconds * sampleRate), blockLength(block))
  const predicted = extrapolate(monoOf(past), frames)
  const coming = monoOf(sliceBlock(block, 0, frames))
  const correlation = clamp(similarity({ values: predicted, at: 0 }, { values: coming, at: 0 }, frames), 0, 1)
  fadeFromPast(past, block, { frames, correlation })
  await limitToSource(block, source)
}

/**
 * Continues a piece by a model: converts the end of the piece to codes or latents, generates those that follow, and converts both
 * back, so that the join is within what the model returns. The result begins where the context ends in it, at the context's
 * level.
 */
export const continueByModel =
  (model: MusicModel): Generator =>
  async (request) => {
    const { context: source, frames, prompt, seed, onProgress, signal } = request
    const { sample_rate: rate, hop } = model.manifest
    signal?.throwIfAborted()
    const context = await contextFor(model, request)
    const known = await model.codec.encode(context)
    const text = prompt.trim() === '' ? undefined : await model.encodeText?.(prompt)
    onProgress?.(shares.encoded)
    const samples = Math.ceil((frames * rate) / source.sampleRate) + Math.ceil(spareSeconds * rate)
    const pieces: Block[] = []
    const stretches = addFrames(model, known, {
      count: Math.ceil(samples / hop),
      random: createRandom(seed),
      text,
      onStep: (share) => {
        signal?.throwIfAborted()
        onProgress?.(shares.encoded + share * (shares.generated - shares.encoded))
      },
    })
    for await (const piece of stretches) pieces.push(piece)
    const made = joinBlocks(pieces, context.length)
    const [original, returned] = [monoOf(context), monoOf(made)]
    const lag = lagOf(original, returned, rate)
    const gain = gainOf(original, returned, rate)
    const stretch = stretchAtRate(
      made,
      { from: rate, to: source.sampleRate },
      { start: blockLength(context) + lag, frames },
    )
    for (const channel of stretch) for (let i = 0; i < channel.length; i++) channel[i] = gain * (channel[i] ?? 0)
    const block = inChannels(stretch, source.channels).map((channel) => Float32Array.from(channel))
    await joinToSource(block, source)
    return { block, honored: text?.honored ?? [] }
  }
