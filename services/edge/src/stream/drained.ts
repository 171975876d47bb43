import { once } from 'node:events'
import type { ServerResponse } from 'node:http'

/** Waits until the client has taken what was written, or its connection is gone. Leaves no listener behind. */
export const drained = async (raw: ServerResponse): Promise<void> => {
  if (raw.destroyed || !raw.writableNeedDrain) return
  const settled = new AbortController()
  const options = { signal: settled.signal }
  const either = [once(raw, 'drain', options), once(raw, 'close', options)]
  for (const waiting of either) waiting.catch(() => undefined)
  await Promise.race(either)
  settled.abort()
}
