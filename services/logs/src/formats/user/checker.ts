import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { LogFormat } from '../format.ts'
import { type FormatCheck, tooSlow } from './check-format.ts'
import type { CheckRequest } from './check-worker.ts'

export type Checker = AsyncDisposable & {
  /** Checks a format; one that takes longer than it may is refused. */
  check: (format: LogFormat, earlier: readonly LogFormat[]) => Promise<FormatCheck>
}

/** What all lines together may take, on the clock on the wall. */
const defaultMilliseconds = 10_000

const start = async (): Promise<Worker> => {
  const worker = new Worker(new URL('./check-worker.ts', import.meta.url))
  await once(worker, 'message')
  return worker
}

/** Tries formats in a thread, which starts with the first of them and is ended with one that takes too long. */
export const createChecker = ({ milliseconds = defaultMilliseconds } = {}): Checker => {
  let running: Worker | undefined
  const end = async () => {
    const ending = running
    running = undefined
    await ending?.terminate()
  }
  return {
    check: async (format, earlier) => {
      running ??= await start()
      const request: CheckRequest = { format, earlier }
      running.postMessage(request)
      try {
        const [check] = (await once(running, 'message', { signal: AbortSignal.timeout(milliseconds) })) as [FormatCheck]
        return check
      } catch (error) {
        await end()
        if (!(error instanceof Error) || error.name !== 'AbortError') throw error
        return { problems: [tooSlow(`(more than ${milliseconds / 1000} s)`)], samples: [] }
      }
    },
    [Symbol.asyncDispose]: end,
  }
}
