import { messageOf } from '@trellis/kit/errors'
import type { InferenceSession, Tensor } from 'onnxruntime-node'
import type { Block } from '../../audio/pcm.ts'
import { ModelUnusable } from '../../onnx/model-unusable.ts'
import { loadRuntime, openSession, type Runtime } from '../../onnx/runtime.ts'
import { stemNames } from '../stem-names.ts'
import { type ChannelSpectra, createChannelSpectra } from './channel-spectra.ts'
import type { StemModel } from './model-folder.ts'

/** A loaded network: estimates of all stems, in the model's order, for one stretch of stereo. */
export type StemNetwork = {
  /** Frames of a stretch. */
  readonly frames: number
  separate(stretch: Block): Promise<Block[]>
  release(): Promise<void>
}

type Shape = { readonly name: string; readonly dimensions: readonly (number | undefined)[] }

const channels = 2
/** Real and imaginary parts of both channels. */
const parts = 2 * channels

const shapesOf = (values: InferenceSession['inputMetadata']): Shape[] =>
  values.flatMap((value) =>
    value.isTensor && value.type === 'float32'
      ? [
          {
            name: value.name,
            // Dimensions without a number are determined at run time.
            dimensions: value.shape.map((size) => (typeof size === 'number' && size > 0 ? size : undefined)),
          },
        ]
      : [],
  )

const matches = ({ dimensions }: Shape, expected: readonly (number | undefined)[]): boolean =>
  dimensions.length === expected.length &&
  dimensions.every((size, index) => size === undefined || expected[index] === undefined || size === expected[index])

const count = stemNames.length
const waveform = [1, channels, undefined]
const spectrogram = [1, parts, undefined, undefined]

type Ports = {
  readonly inputs: { readonly waveform: Shape | undefined; readonly spectrogram: Shape | undefined }
  readonly outputs: { readonly waveform: Shape | undefined; readonly spectrogram: Shape | undefined }
}

/** Distinguishes the interfaces of models by the shapes of their inputs and outputs. Throws ModelUnusable for any other. */
const portsOf = (session: InferenceSession, network: string): Ports => {
  const [inputs, outputs] = [shapesOf(session.inputMetadata), shapesOf(session.outputMetadata)]
  const ports = {
    inputs: {
      waveform: inputs.find((one) => matches(one, waveform)),
      spectrogram: inputs.find((one) => matches(one, spectrogram)),
    },
    outputs: {
      waveform: outputs.find((one) => matches(one, [1, count, channels, undefined])),
      spectrogram: outputs.find((one) => matches(one, [1, count, parts, undefined, undefined])),
    },
  }
  const known = [ports.inputs.waveform, ports.inputs.spectrogram].filter((one) => one !== undefined)
  const isSpectral = ports.inputs.spectrogram !== undefined && ports.outputs.spectrogram !== undefined
  const isWaveform = ports.inputs.waveform !== undefined && ports.outputs.waveform !== undefined
  if (known.length === session.inputNames.length && (isSpectral || isWaveform)) return ports
  const shown = (shapes: readonly Shape[]) =>
    shapes.map(({ name, dimensions }) => `${name} [${dimensions.map((size) => size ?? '?').join(', ')}]`).join(', ')
  throw new ModelUnusable(
    `${network} has the inputs ${shown(inputs)} and the outputs ${shown(outputs)}. A model of stems takes [1, 2, frames] and returns [1, 4, 2, frames], or takes [1, 4, bins, frames] (possibly with the former) and returns [1, 4, 4, bins, frames].`,
  )
}

const floatsOf = (tensor: Tensor | undefined, network: string): Float32Array => {
  if (tensor?.data instanceof Float32Array) return tensor.data
  throw new ModelUnusable(`${network} returns no 32-bit floats.`)
}

const inputTensors = (runtime: Runtime, { inputs }: Ports, stretch: Block, frames: number, spectra: ChannelSpectra) => {
  const tensors: Record<string, Tensor> = {}
  if (inputs.waveform) {
    const values = new Float32Array(channels * frames)
    for (const [index, channel] of stretch.entries()) values.set(channel, index * frames)
    tensors[inputs.waveform.name] = new runtime.Tensor('float32', values, [1, channels, frames])
  }
  if (inputs.spectrogram) {
    const columns = spectra.framesOf(frames)
    const values = new Float32Array(parts * spectra.bins * columns)
    for (const [index, channel] of stretch.entries()) spectra.write(channel, values, index * 2 * spectra.bins * columns)
    tensors[inputs.spectrogram.name] = new runtime.Tensor('float32', values, [1, parts, spectra.bins, columns])
  }
  return tensors
}

/** Loads a network. Throws ModelUnusable. */
export const openStemNetwork = async ({ network, frames: usual, transform }: StemModel): Promise<StemNetwork> => {
  const runtime = await loadRuntime('MUSIC_STEMS_MODEL')
  const session = await openSession(runtime, network)
  const ports = portsOf(session, network)
  const frames = ports.inputs.waveform?.dimensions[2] ?? usual
  const spectra = createChannelSpectra(transform)

  const separate = async (stretch: Block): Promise<Block[]> => {
    const results = await session.run(inputTensors(runtime, ports, stretch, frames, spectra))
    const { outputs } = ports
    const waves = outputs.waveform && floatsOf(results[outputs.waveform.name], network)
    const spectral = outputs.spectrogram && floatsOf(results[outputs.spectrogram.name], network)
    const columns = spectra.framesOf(frames)
    if (waves && waves.length !== count * channels * frames)
      throw new ModelUnusable(`${network} returns ${waves.length} samples for ${frames} frames.`)
    if (spectral && spectral.length !== count * parts * spectra.bins * columns)
      throw new ModelUnusable(`${network} returns spectrograms of another size than it receives.`)
    return stemNames.map((_, stem) =>
      Array.from({ length: channels }, (_, channel) => {
        const index = stem * channels + channel
        const samples = waves ? waves.slice(index * frames, (index + 1) * frames) : new Float32Array(frames)
        if (spectral) spectra.add(spectral, index * 2 * spectra.bins * columns, samples)
        return samples
      }),
    )
  }

  return {
    frames,
    separate: async (stretch) => {
      try {
        return await separate(stretch)
      } catch (cause) {
        if (cause instanceof ModelUnusable) throw cause
        throw new ModelUnusable(`${network} fails: ${messageOf(cause)}`, { cause })
      }
    },
    release: () => session.release(),
  }
}
