import { serviceError } from '@trellis/kit/errors'
import type { Generator } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import type { NodeRow } from '../chains/tables.ts'

export type GeneratorWord = NonNullable<NodeRow['generator']>

/** Why there is no model. */
export const noModel = 'No model is installed here: use the generator "recombine" or "auto".'

/** The generator that a request comes to: the best there is, unless it names one. Throws 503 for one that is not installed. */
export const generatorFor = (asked: Generator, isMock: boolean): GeneratorWord => {
  if (asked === 'GENERATOR_ONNX') throw serviceError('unavailable', noModel)
  if (asked === 'GENERATOR_MOCK') return 'mock'
  if (asked === 'GENERATOR_RECOMBINE') return 'recombine'
  return isMock ? 'mock' : 'recombine'
}

const generators: Partial<Record<string, Generator>> = {
  recombine: 'GENERATOR_RECOMBINE',
  onnx: 'GENERATOR_ONNX',
  mock: 'GENERATOR_MOCK',
}

/** A generator as objects name it; anything else is `auto`. */
export const generatorNamed = (word: string): Generator => generators[word] ?? 'GENERATOR_AUTO'
