import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { LogPattern } from './pattern.ts'

/** What all lines that bring out the worst of a pattern may take together, on the clock on the wall. */
const patternMilliseconds = 10_000

/**
 * Tells those patterns that would keep everybody waiting. They are tried in a thread, which is ended with one that takes too long.
 */
export const findSlowPatterns = async (
  patterns: readonly LogPattern[],
  { milliseconds = patternMilliseconds } = {},
): Promise<ReadonlySet<string>> => {
  const slow = new Set<string>()
  let worker: Worker | undefined
  try {
    for (const pattern of patterns) {
      worker ??= new Worker(new URL('./slow-expression-worker.ts', import.meta.url))
      worker.postMessage({ matcher: pattern.matcher, sample: pattern.samples.matches })
      try {
        const [isSlow] = (await once(worker, 'message', { signal: AbortSignal.timeout(milliseconds) })) as [boolean]
        if (isSlow) slow.add(pattern.tag)
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'AbortError') throw error
        slow.add(pattern.tag)
        await worker.terminate()
        worker = undefined
      }
    }
  } finally {
    await worker?.terminate()
  }
  return slow
}
