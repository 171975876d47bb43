import { createRandom } from '../../dsp/random.ts'
import { frameCount } from './codec.ts'
import type { MusicModel } from './open-model.ts'
import { normalNumbers } from './sampling.ts'

/** Frames that a model is tried with. */
const triedFrames = 8

/** Runs all networks of a model once with a few frames of quiet noise. Throws ModelUnusable if one does not fit the manifest. */
export const tryModel = async ({ manifest, codec, sequence, encodeText }: MusicModel): Promise<void> => {
  const { hop, channels, sample_rate: rate, window_seconds: window } = manifest
  const random = createRandom(0)
  const frames = Math.max(1, Math.min(triedFrames, Math.floor((window * rate) / hop / 2)))
  const noise = Array.from({ length: channels }, () => normalNumbers(random, frames * hop).map((value) => 0.05 * value))
  const known = await codec.encode(noise)
  const text = await encodeText?.('calm')
  const added = await sequence.extend(known, { count: 1, text, random, maxSteps: 1, onStep: () => undefined })
  await codec.decode(known.map((row, index) => Float32Array.of(...row, ...(added[index] ?? []))))
  if (frameCount(added) !== 1) throw new Error('A model added another number of frames than requested.')
}
