import { createHash } from 'node:crypto'
import { jsonCodec, topics } from '@trellis/kit/bus'

/** A listing whose photo was compared or analysed, or whose task has ended without that. */
export type PhotoProgress = {
  readonly listingId: number
  /** Whether its score has changed. */
  readonly hasChanged: boolean
  /** Whether nothing of its task is left to do. */
  readonly isLast: boolean
}

const progressTopics = topics({
  family: 'listings.photos',
  ...jsonCodec<PhotoProgress>(),
  keep: { events: 2_000, milliseconds: 60_000 },
})

/** Progress of the photos of one user, for their searches on any replica. Ids of users may have characters that topics may not. */
export const progressOf = (userId: string) =>
  progressTopics(createHash('sha256').update(userId).digest('hex').slice(0, 32))

/** Wakes the workers of all replicas when tasks were queued. */
export const wakeTopic = topics({
  family: 'listings.photo-tasks',
  ...jsonCodec<{ readonly queued: number }>(),
  keep: { events: 10, milliseconds: 60_000 },
})('queued')
