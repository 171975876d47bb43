import type { Caller, RpcClient } from '@trellis/kit/rpc'
import {
  Adapter,
  type ListingsServiceDefinition,
  MustIncludeMode,
  type SearchRequest,
  type UpdateFrame,
} from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { expect } from 'vitest'

export type Client = RpcClient<typeof ListingsServiceDefinition>
export type Frame = NonNullable<UpdateFrame['event']>

export const local: Caller = { userId: 'local', kind: 'local', tier: 'local' }

export const request = (change: Partial<SearchRequest> = {}): SearchRequest => ({
  q: 'camera',
  maxPrice: null,
  minPrice: null,
  pages: 1,
  mustInclude: '',
  mustIncludeMode: MustIncludeMode.ALL,
  mustExclude: '',
  categoryId: '',
  adapter: Adapter.AUTO,
  ...change,
})

/** All frames of a search's stream, optionally after an event. Throws errors of the stream. */
export const follow = async (
  client: Client,
  sessionId: string,
  onFrame: (frame: Frame, eventId: string) => void = () => undefined,
  lastEventId: string | null = null,
): Promise<Frame[]> => {
  const frames: Frame[] = []
  for await (const { event, eventId } of client.watchUpdates({ sessionId, lastEventId }, { caller: local })) {
    if (!event) continue
    frames.push(event)
    onFrame(event, eventId)
  }
  return frames
}

const countOf = (frames: readonly Frame[], $case: Frame['$case']) =>
  frames.filter((frame) => frame.$case === $case).length

const updatesIn = (frames: readonly Frame[]) =>
  frames.flatMap((frame) =>
    frame.$case === 'update'
      ? [
          JSON.stringify([
            frame.value.platformListingId,
            frame.value.trustScore?.signalScores,
            frame.value.trustScore?.photoHashDuplicate,
            frame.value.trustScore?.photoAnalysisJson,
            frame.value.marketPrice,
          ]),
        ]
      : [],
  )

/**
 * Invariant of every completed search of the test's marketplace, whatever happened during it: its results, and the later
 * updates of sellers, are published completely and exactly once.
 */
export const expectWhole = (frames: readonly Frame[]): void => {
  expect([countOf(frames, 'listings'), countOf(frames, 'marketPrice'), countOf(frames, 'done')]).toEqual([1, 1, 1])
  expect([countOf(frames, 'searchFailed'), countOf(frames, 'reset')]).toEqual([0, 0])
  const last = frames.at(-1)
  expect(last?.$case === 'done' && (last.value.reason ?? null)).toBe(null)
  const updates = updatesIn(frames)
  expect(new Set(updates).size).toBe(updates.length)
  const scored = frames.flatMap((frame) =>
    frame.$case === 'update' && typeof frame.value.trustScore?.signalScores?.accountAge === 'number'
      ? [frame.value.platformListingId]
      : [],
  )
  const listings = frames.flatMap((frame) => (frame.$case === 'listings' ? frame.value.listings : []))
  expect(new Set(scored)).toEqual(new Set(listings.map(({ platformListingId }) => platformListingId)))
}
