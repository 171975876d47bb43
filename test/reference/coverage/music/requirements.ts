import type { Requirements } from '../promised.ts'
import { audio } from './requirements/audio.ts'
import { chains } from './requirements/chains.ts'
import { models } from './requirements/models.ts'
import { rules } from './requirements/rules.ts'

/** The promises of the music service: of its specification first, then of the contract, by what they concern. */
export const musicRequirements: Requirements = {
  service: 'music',
  title: 'music',
  themes: [...chains, ...models, ...audio, ...rules],
  notYet: [],
}
