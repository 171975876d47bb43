import { serviceError } from '@trellis/kit/errors'
import { createSerialQueue } from '@trellis/kit/lifecycle'

/** A resource that is reopened after it failed. */
export type Failing = AsyncDisposable & {
  /** Set once the resource is unusable. */
  readonly failure: Error | undefined
}

/** At most one open resource: opened on the first use, and closed before another replaces it. */
export type Reopening<Opened> = {
  /** The current resource. Rejects if it cannot be opened; the next call tries again. */
  get: () => Promise<Opened>
  /** Runs work on the current resource, and again on the next one if it was closed before the work began. */
  use: <Result>(work: (opened: Opened) => Promise<Result>) => Promise<Result>
  /** Closes the resource for good. */
  end: () => Promise<void>
}

export type ReopeningOptions<Opened> = {
  open: () => Promise<Opened>
  /** Whether an error means that nothing was done because the resource was closed. */
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
      // Its failure was reported when it occurred, and is also why it cannot be closed in order.
    }
  }
  const replace = async (): Promise<Opened> => {
    if (isEnding) throw serviceError('unavailable', 'The log engine is shutting down. Send the request again later.')
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
