import { serviceError } from '@trellis/kit/errors'
import type { Generator } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import type { NodeRow } from '../store/tables.ts'

export type GeneratorWord = NonNullable<NodeRow['generator']>

/** Why there is no model. */
export const noModel = 'No model is installed here: use the generator "recombine" or "auto".'

/** The generator for a request: the best one, unless the request names one. Throws 503 if it is not installed. */
export const generatorFor = (requested: Generator, isMock: boolean): GeneratorWord => {
  if (requested === 'GENERATOR_ONNX') throw serviceError('unavailable', noModel)
  if (requested === 'GENERATOR_MOCK') return 'mock'
  if (requested === 'GENERATOR_RECOMBINE') return 'recombine'
  return isMock ? 'mock' : 'recombine'
}

const generators: Partial<Record<string, Generator>> = {
  recombine: 'GENERATOR_RECOMBINE',
  onnx: 'GENERATOR_ONNX',
  mock: 'GENERATOR_MOCK',
}

/** Parses a generator as objects name it; unknown names are `auto`. */
export const generatorNamed = (word: string): Generator => generators[word] ?? 'GENERATOR_AUTO'
