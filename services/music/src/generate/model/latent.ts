import { ModelUnusable } from '../../onnx/model-unusable.ts'
import type { Tensor } from '../../onnx/runtime.ts'
import { frameCount, rowsOf, sliceFrames } from './codec.ts'
import type { LatentManifest } from './manifest.ts'
import { floatsOf, lacking, type Network, portOf, type Roles } from './network.ts'
import { type NoiseLevel, noiseSchedule } from './noise-schedule.ts'
import { normalNumbers } from './sampling.ts'
import type { SequenceModel } from './sequence-model.ts'
import type { TextStates } from './text.ts'

const usual: Roles['usual'] = {
  noisy: ['sample', 'latents', 'x', 'noisy'],
  time: ['timestep', 'timesteps', 't', 'time'],
  known: ['known', 'masked_latents', 'inpaint_latents'],
  known_mask: ['known_mask', 'inpaint_mask', 'mask'],
  text: ['encoder_hidden_states', 'text_states'],
  text_mask: ['encoder_attention_mask', 'text_mask'],
  estimate: ['out_sample', 'estimate', 'velocity', 'noise_pred', 'output'],
}

const portsOf = (network: Network, names: Roles['names']) => {
  const roles = { names, usual }
  const input = (role: string) => portOf(network.inputs, role, roles)
  const estimate = portOf(network.outputs, 'estimate', roles)
  const [noisy, time] = [input('noisy'), input('time')]
  const [known, knownMask] = [input('known'), input('known_mask')]
  const [text, textMask] = [input('text'), input('text_mask')]
  if (!noisy) throw lacking(network, 'input "noisy"')
  if (!time) throw lacking(network, 'input "time"')
  if (!estimate) throw lacking(network, 'output "estimate"')
  const other = network.inputs.find((port) => ![noisy, time, known, knownMask, text, textMask].includes(port))
  if (other) throw lacking(network, `known use for its input "${other.name}"`)
  return { noisy, time, known, knownMask, text, textMask, estimate }
}

/**
 * A generator of latents, which removes noise from a whole window in some steps. At each step the known frames are set to
 * themselves with the noise of that step (as in RePaint, Lugmayr et al., 2022), so that the others fit to them. Throws
 * ModelUnusable if the network has another interface.
 */
export const createLatent = (manifest: LatentManifest, network: Network): SequenceModel => {
  const rows = manifest.latent_channels
  const ports = portsOf(network, manifest.names)
  const schedule = noiseSchedule(manifest.scheduler)
  const guidance = manifest.text?.guidance ?? 1
  const width = ports.text?.dimensions.at(-1) ?? manifest.text?.width
  if (ports.text && width === undefined)
    throw new ModelUnusable(`"text.width" in model.json must be how many numbers "${ports.text.name}" has per token.`)

  const textFeeds = (text: TextStates | undefined): Record<string, Tensor> => {
    const wide = width ?? 1
    if (text && ports.text && text.width !== wide)
      throw new ModelUnusable(
        `The text encoder returns ${text.width} numbers per token; "${ports.text.name}" has ${wide}.`,
      )
    const mask = text?.mask ?? new Float32Array(1)
    const states = text?.states ?? new Float32Array(wide)
    return {
      ...(ports.text && { [ports.text.name]: network.tensor(ports.text, states, [1, mask.length, wide]) }),
      ...(ports.textMask && { [ports.textMask.name]: network.tensor(ports.textMask, mask, [1, mask.length]) }),
    }
  }

  const estimateBy = async (feeds: Record<string, Tensor>, size: number): Promise<Float32Array> => {
    const values = floatsOf((await network.run(feeds))[ports.estimate.name], network.path)
    if (values.length === size) return values
    throw new ModelUnusable(`${network.path} returns ${values.length} numbers for ${size}.`)
  }

  return {
    async extend(known, { count, text, random, maxSteps, onStep }) {
      const contextLength = frameCount(known)
      const length = ports.noisy.dimensions.at(-1) ?? contextLength + count
      if (contextLength + count > length)
        throw new ModelUnusable(`${network.path} takes ${length} frames: "window_seconds" in model.json exceeds them.`)
      const size = rows * length
      const noise = normalNumbers(random, size)
      const values = Float32Array.from(noise)
      const knownValues = new Float32Array(size)
      for (const [row, frames] of known.entries()) knownValues.set(frames, row * length)
      const restoreKnown = ({ signal, noise: share }: NoiseLevel) => {
        for (let row = 0; row < rows; row++)
          for (let frame = 0; frame < contextLength; frame++) {
            const at = row * length + frame
            values[at] = signal * (knownValues[at] ?? 0) + share * (noise[at] ?? 0)
          }
      }
      const mask = new Float32Array(length).fill(1, 0, contextLength)
      const { tensor } = network
      const fixed = {
        ...(ports.known && { [ports.known.name]: tensor(ports.known, knownValues, [1, rows, length]) }),
        ...(ports.knownMask && { [ports.knownMask.name]: tensor(ports.knownMask, mask, [1, 1, length]) }),
      }
      const isGuided = text !== undefined && ports.text !== undefined && guidance !== 1
      const [conditional, plain] = [textFeeds(text), textFeeds(undefined)]
      const steps = schedule.levels.length - 1
      for (const [step, level] of schedule.levels.slice(0, Math.min(steps, maxSteps ?? steps)).entries()) {
        onStep(step, steps)
        restoreKnown(level)
        const feeds = {
          ...fixed,
          [ports.noisy.name]: tensor(ports.noisy, values, [1, rows, length]),
          [ports.time.name]: tensor(ports.time, [level.time], ports.time.dimensions.length === 0 ? [] : [1]),
        }
        const estimate = await estimateBy({ ...feeds, ...conditional }, size)
        const without = isGuided ? await estimateBy({ ...feeds, ...plain }, size) : estimate
        const next = schedule.levels[step + 1] ?? level
        for (let at = 0; at < size; at++) {
          const plainly = without[at] ?? 0
          const guided = plainly + (isGuided ? guidance : 1) * ((estimate[at] ?? 0) - plainly)
          const { clean, random: left } = schedule.denoise(values[at] ?? 0, guided, level)
          values[at] = next.signal * clean + next.noise * left
        }
      }
      return sliceFrames(rowsOf(values, rows), contextLength, contextLength + count)
    },
  }
}
