import { serviceError } from '@trellis/kit/errors'
import { createSerialQueue } from '@trellis/kit/lifecycle'

/** What is opened again after it failed. */
export type Failing = AsyncDisposable & {
  /** Set once it is of no use any more. */
  readonly failure: Error | undefined
}

/** One opened thing at a time: it is opened with the first use, and closed before another takes its place. */
export type Reopening<Opened> = {
  /** The current one. Fails where it cannot be opened; the next call tries again. */
  get: () => Promise<Opened>
  /** Does work with the current one; again with the next where it was closed before it began. */
  use: <Result>(work: (opened: Opened) => Promise<Result>) => Promise<Result>
  /** Closes it for good. */
  end: () => Promise<void>
}

export type ReopeningOptions<Opened> = {
  open: () => Promise<Opened>
  /** Whether an error says that nothing was done because it was closed. */
  isClosed: (error: unknown) => boolean
}

export const createReopening = <Opened extends Failing>(options: ReopeningOptions<Opened>): Reopening<Opened> => {
  const { open, isClosed } = options
  const serialQueue = createSerialQueue()
  let current: Opened | undefined
  let isEnding = false

  const close = async () => {
    const closing = current
    current = undefined
    try {
      await closing?.[Symbol.asyncDispose]()
    } catch {
      // Its failure, which was reported when it occurred, is why it cannot be closed in order either.
    }
  }
  const replace = async (): Promise<Opened> => {
    if (isEnding) throw serviceError('unavailable', 'The log engine is shutting down. Send it again later.')
    if (current && !current.failure) return current
    await close()
    current = await open()
    return current
  }
  const get = async (): Promise<Opened> => (current && !current.failure ? current : serialQueue.run(replace))
  return {
    get,
    use: async (work) => {
      for (;;) {
        const opened = await get()
        try {
          return await work(opened)
        } catch (error) {
          if (opened === current || !isClosed(error)) throw error
        }
      }
    },
    end: () => {
      isEnding = true
      return serialQueue.run(close)
    },
  }
}
