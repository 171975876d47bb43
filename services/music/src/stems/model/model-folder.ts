import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ModelUnusable } from '../../onnx/model-unusable.ts'
import { readDescription } from '../../onnx/read-description.ts'
import { type StemName, stemNames } from '../stem-names.ts'

/** A model that separates stems. All but the network comes from `stems.json`, or has the values of HTDemucs. */
export type StemModel = {
  /** Path of the ONNX file. */
  readonly network: string
  /** The stems of its outputs, in their order. */
  readonly stems: readonly StemName[]
  /** Samples per second of its input. */
  readonly sampleRate: number
  /** Frames of its input, if its shape does not determine them. */
  readonly frames: number
  /** Whether its input is scaled to mean 0 and deviation 1. */
  readonly normalize: boolean
  /** Size and hop of the spectrograms of models that take them. */
  readonly transform: { readonly size: number; readonly hop: number }
}

/** Those of HTDemucs: 7.8 s at 44.1 kHz. */
const defaults = {
  stems: ['drums', 'bass', 'other', 'vocals'],
  sample_rate: 44_100,
  frames: 343_980,
  normalize: true,
  fft_size: 4_096,
  hop: 1_024,
} as const

const networkFile = 'model.onnx'
const descriptionFile = 'stems.json'

const isPermutation = (value: unknown): value is StemName[] =>
  Array.isArray(value) && value.length === stemNames.length && stemNames.every((name) => value.includes(name))

/** Reads the folder of a model, except for the network itself. Throws ModelUnusable. */
export const readStemModel = async (folder: string): Promise<StemModel> => {
  const network = join(folder, networkFile)
  const info = await stat(network).catch(() => undefined)
  if (!info?.isFile()) throw new ModelUnusable(`There is no file ${network}.`)
  const path = join(folder, descriptionFile)
  const description = { ...defaults, ...(await readDescription(path)) }
  const { stems, normalize } = description as { stems: unknown; normalize: unknown }
  if (!isPermutation(stems))
    throw new ModelUnusable(`"stems" in ${path} must list vocals, drums, bass and other in the model's order.`)
  if (typeof normalize !== 'boolean') throw new ModelUnusable(`"normalize" in ${path} must be true or false.`)
  const whole = (name: 'sample_rate' | 'frames' | 'fft_size' | 'hop', low: number, high: number): number => {
    const value: unknown = description[name]
    if (typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high) return value
    throw new ModelUnusable(`"${name}" in ${path} must be a whole number from ${low} to ${high}.`)
  }
  const transform = { size: whole('fft_size', 256, 16_384), hop: whole('hop', 64, 8_192) }
  if (!Number.isInteger(Math.log2(transform.size)) || transform.size % transform.hop !== 0)
    throw new ModelUnusable(`"fft_size" in ${path} must be a power of two and a multiple of "hop".`)
  return {
    network,
    stems,
    sampleRate: whole('sample_rate', 8_000, 192_000),
    frames: whole('frames', 4_096, 4_000_000),
    normalize,
    transform,
  }
}
