import { once } from 'node:events'
import type { ServerResponse } from 'node:http'

/** Waits until the write buffer has drained or the connection is closed. Leaves no listeners behind. */
export const drained = async (raw: ServerResponse): Promise<void> => {
  if (raw.destroyed || !raw.writableNeedDrain) return
  const settled = new AbortController()
  const options = { signal: settled.signal }
  const either = [once(raw, 'drain', options), once(raw, 'close', options)]
  for (const waiting of either) waiting.catch(() => undefined)
  await Promise.race(either)
  settled.abort()
}
