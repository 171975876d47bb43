import { invalidField, serviceError } from '@trellis/kit/errors'
import type { Generator } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import { usualContextSeconds } from '../generate/model-setting.ts'
import type { ModelStatus } from '../models/installed-model.ts'
import type { NodeRow } from '../store/tables.ts'

export type GeneratorWord = NonNullable<NodeRow['generator']>

/** The generators of an installation. */
export type Installed = {
  /** Whether `auto` is the mock. */
  readonly mockGenerator: boolean
  readonly model: ModelStatus
}

/** The generator for a request: the best one, unless the request names one. Throws 503 if it is not installed. */
export const generatorFor = (requested: Generator, { mockGenerator, model }: Installed): GeneratorWord => {
  if (requested === 'GENERATOR_ONNX') {
    if (!model.available) throw serviceError('unavailable', model.reason)
    return 'onnx'
  }
  if (requested === 'GENERATOR_MOCK') return 'mock'
  if (requested === 'GENERATOR_RECOMBINE') return 'recombine'
  if (mockGenerator) return 'mock'
  return model.available ? 'onnx' : 'recombine'
}

/**
 * The length of the context that a generator uses, in seconds; null for the whole path. A model uses 10 s by default, and never
 * more than it can.
 */
export const contextFor = (generator: GeneratorWord, requested: number | null, model: ModelStatus): number | null => {
  if (generator !== 'onnx') return requested
  const seconds = requested ?? usualContextSeconds
  return model.available ? Math.min(seconds, model.contextSeconds) : seconds
}

/** Throws 422 if a model cannot generate as much at once. */
export const requireLength = (generator: GeneratorWord, seconds: number, model: ModelStatus): void => {
  if (generator !== 'onnx' || !model.available || seconds <= model.maxSeconds) return
  throw invalidField(
    ['body', 'duration_seconds'],
    `The model generates at most ${model.maxSeconds} s at once: request less, or use the generator "recombine".`,
  )
}

const generators: Partial<Record<string, Generator>> = {
  recombine: 'GENERATOR_RECOMBINE',
  onnx: 'GENERATOR_ONNX',
  mock: 'GENERATOR_MOCK',
}

/** Parses a generator as objects name it; unknown names are `auto`. */
export const generatorNamed = (word: string): Generator => generators[word] ?? 'GENERATOR_AUTO'
