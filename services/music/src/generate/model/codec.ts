import type { Block } from '../../audio/pcm.ts'
import { blockLength } from '../../audio/pcm.ts'
import { ModelUnusable } from '../../onnx/model-unusable.ts'
import type { Tensor } from '../../onnx/runtime.ts'
import type { Manifest } from './manifest.ts'
import { floatsOf, integersOf, lacking, type Network, type Port, portOf, type Roles } from './network.ts'

/** A stretch as the network sees it: codes of each codebook, or latents of each channel, frame by frame. */
export type Frames = readonly Float32Array[]

export const frameCount = (frames: Frames): number => frames[0]?.length ?? 0
export const sliceFrames = (frames: Frames, start: number, end?: number): Frames =>
  frames.map((row) => row.subarray(start, end))
export const joinFrames = (first: Frames, second: Frames): Frames =>
  first.map((row, index) => {
    const other = second[index] ?? new Float32Array(0)
    const joined = new Float32Array(row.length + other.length)
    joined.set(row)
    joined.set(other, row.length)
    return joined
  })

/** Converts audio at the model's rate to frames and back. */
export type Codec = {
  /** Whole frames of audio; what exceeds them is ignored. */
  encode(audio: Block): Promise<Frames>
  /** `hop` samples for each frame. */
  decode(frames: Frames): Promise<Block>
}

type CodecOptions = {
  readonly manifest: Manifest
  readonly encoder: Network
  readonly decoder: Network
  /** Codebooks, or channels of latents. */
  readonly rows: number
}

const usual: Roles['usual'] = {
  audio: ['input_values', 'audio', 'waveform', 'input'],
  codes: ['audio_codes', 'codes', 'output'],
  latents: ['latents', 'latent', 'z', 'output', 'mean'],
  audio_out: ['audio_values', 'audio', 'waveform', 'output'],
}

const isFloat = ({ type }: Port): boolean => type === 'float32' || type === 'float16'

/** The port with a role, or the only one of a type. */
const portWith = (ports: readonly Port[], role: string, roles: Roles, fits: (port: Port) => boolean) => {
  const fitting = ports.filter(fits)
  return portOf(fitting, role, roles) ?? (fitting.length === 1 ? fitting[0] : undefined)
}

/** Whether audio masks accompany the input; they are all ones. */
const isMask = ({ name }: Port): boolean => name.endsWith('mask')

const requireShape = (tensor: Tensor | undefined, rows: number, { path }: Network): readonly number[] => {
  const dims = tensor?.dims ?? []
  if (dims.length >= 2 && dims.at(-2) === rows && dims.slice(0, -2).every((size) => size === 1)) return dims
  throw new ModelUnusable(`${path} returns [${dims.join(', ')}] where [1, ${rows}, frames] is expected.`)
}

/** Rows of a tensor whose last two dimensions are rows and columns. */
export const rowsOf = (values: ArrayLike<number>, rows: number): Float32Array[] => {
  const columns = values.length / rows
  return Array.from({ length: rows }, (_, row) =>
    Float32Array.from({ length: columns }, (_, column) => values[row * columns + column] ?? 0),
  )
}

/** Rows as one array, each padded with its last number to a length. */
export const flattened = (frames: Frames, length = frameCount(frames)): Float32Array => {
  const values = new Float32Array(frames.length * length)
  for (const [index, row] of frames.entries()) {
    values.set(row, index * length)
    values.fill(row.at(-1) ?? 0, index * length + row.length, (index + 1) * length)
  }
  return values
}

/** The usable interface of both networks of a codec. Throws ModelUnusable for any other. */
export const createCodec = ({ manifest, encoder, decoder, rows }: CodecOptions): Codec => {
  const { channels, hop, kind } = manifest
  const isLatent = kind === 'latent'
  const [scale, shift] = isLatent ? [manifest.latent_scale, manifest.latent_shift] : [1, 0]
  const roles = { names: manifest.names, usual }
  const framesRole = isLatent ? 'latents' : 'codes'
  const isInner = (port: Port) => isFloat(port) === isLatent
  const audioIn = portWith(encoder.inputs, 'audio', roles, isFloat)
  const framesOut = portWith(encoder.outputs, framesRole, roles, isInner)
  const framesIn = portWith(decoder.inputs, framesRole, roles, isInner)
  const audioOut = portWith(decoder.outputs, 'audio_out', roles, isFloat)
  const masks = encoder.inputs.filter((port) => port !== audioIn)
  if (!audioIn || !masks.every(isMask)) throw lacking(encoder, 'input "audio", or has others')
  if (!framesOut) throw lacking(encoder, `output "${framesRole}"`)
  if (!framesIn || decoder.inputs.length > 1) throw lacking(decoder, `input "${framesRole}", or has others`)
  if (!audioOut) throw lacking(decoder, 'output "audio_out"')
  if (audioIn.dimensions.length !== 3 || ![channels, undefined].includes(audioIn.dimensions[1]))
    throw new ModelUnusable(`The input "${audioIn.name}" of ${encoder.path} must be [1, ${channels}, samples].`)

  return {
    async encode(audio) {
      const count = Math.floor(blockLength(audio) / hop)
      const samples = audioIn.dimensions[2] ?? count * hop
      if (count * hop > samples)
        throw new ModelUnusable(
          `${encoder.path} takes ${samples} samples: "context_seconds" in model.json exceeds them.`,
        )
      const values = new Float32Array(channels * samples)
      for (const [index, channel] of audio.entries()) values.set(channel.subarray(0, count * hop), index * samples)
      const feeds: Record<string, Tensor> = { [audioIn.name]: encoder.tensor(audioIn, values, [1, channels, samples]) }
      for (const mask of masks) {
        const shape = mask.dimensions.length === 3 ? [1, 1, samples] : [1, samples]
        feeds[mask.name] = encoder.tensor(mask, new Uint8Array(samples).fill(1), shape)
      }
      const tensor = (await encoder.run(feeds))[framesOut.name]
      requireShape(tensor, rows, encoder)
      const found = rowsOf((isLatent ? floatsOf : integersOf)(tensor, encoder.path), rows)
      if (frameCount(found) < count)
        throw new ModelUnusable(
          `${encoder.path} returns ${frameCount(found)} frames for ${samples} samples: "hop" in model.json is ${hop}.`,
        )
      return sliceFrames(
        found.map((row) => row.map((value) => (value - shift) * scale)),
        0,
        count,
      )
    },

    async decode(frames) {
      const count = frameCount(frames)
      const length = framesIn.dimensions.at(-1) ?? count
      if (count > length)
        throw new ModelUnusable(`${decoder.path} takes ${length} frames: "window_seconds" in model.json exceeds them.`)
      const values = flattened(
        frames.map((row) => row.map((value) => value / scale + shift)),
        length,
      )
      const leading = new Array<number>(Math.max(1, framesIn.dimensions.length - 2)).fill(1)
      const feeds = { [framesIn.name]: decoder.tensor(framesIn, values, [...leading, rows, length]) }
      const tensor = (await decoder.run(feeds))[audioOut.name]
      requireShape(tensor, channels, decoder)
      const audio = rowsOf(floatsOf(tensor, decoder.path), channels)
      if (blockLength(audio) < count * hop)
        throw new ModelUnusable(
          `${decoder.path} returns ${blockLength(audio)} samples for ${count} frames: "hop" in model.json is ${hop}.`,
        )
      return audio.map((channel) => channel.subarray(0, count * hop))
    },
  }
}
