import { jsonCodec, topics } from '@trellis/kit/bus'
import type { UpdateFrame } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { sessionLifetime } from '../session/store.ts'
import { partCodec } from './parts.ts'

/** Updates of a search for its followers, by session. Retained so that a client that lost its connection misses nothing. */
export const updatesOf = topics({
  family: 'listings.updates',
  ...partCodec,
  keep: { events: 10_000, milliseconds: sessionLifetime },
})

/** Answers of searches for the calls that wait for them, by session, whichever replica drives them. */
export const answersOf = topics({
  family: 'listings.answers',
  ...partCodec,
  keep: { events: 100, milliseconds: sessionLifetime },
})

/** Control events from followers to a search on any replica: joined, left, cancel. */
export type Control = { readonly kind: 'joined' | 'left' | 'cancel' }

export const controlOf = topics({
  family: 'listings.control',
  ...jsonCodec<Control>(),
  keep: { events: 100, milliseconds: sessionLifetime },
})

export type Frame = NonNullable<UpdateFrame['event']>
