import type { Requirements } from '../promised.ts'
import { audio } from './requirements/audio.ts'
import { chains } from './requirements/chains.ts'
import { rules } from './requirements/rules.ts'

/** The promises of the music service: of its specification first, then of the contract, by what they concern. */
export const musicRequirements: Requirements = {
  service: 'music',
  title: 'music',
  themes: [...chains, ...audio, ...rules],
  notYet: [
    [
      'The generator `onnx` continues with a neural model',
      'No model with permissive weights continues audio in ONNX; the request is 503 and `GET /api/gpu` says why. `recombine` generates from the piece itself',
    ],
    ['`context_seconds` is 10 by default for a model', 'There is no model'],
  ],
}
