import { jsonCodec, topics } from '@trellis/kit/bus'
import type { UpdateFrame } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { sessionLifetime } from '../session/store.ts'
import { partCodec } from './parts.ts'

/** What is pushed to whoever follows a search, by its session. Kept so that a client that lost its connection misses nothing. */
export const updatesOf = topics({
  family: 'listings.updates',
  ...partCodec,
  keep: { events: 10_000, milliseconds: sessionLifetime },
})

/** What a search answers to the call that waits for it, by its session, whichever replica drives it. */
export const answersOf = topics({
  family: 'listings.answers',
  ...partCodec,
  keep: { events: 100, milliseconds: sessionLifetime },
})

/** What followers tell a search, wherever it runs: that they came, that they left, that it should stop. */
export type Control = { readonly kind: 'joined' | 'left' | 'cancel' }

export const controlOf = topics({
  family: 'listings.control',
  ...jsonCodec<Control>(),
  keep: { events: 100, milliseconds: sessionLifetime },
})

export type Frame = NonNullable<UpdateFrame['event']>
