import { serviceError } from '@trellis/kit/errors'

/** Bytes of requests that are being worked on, and how many of them there may be. */
export type Pressure = {
  /** Begins a request that holds nothing yet; disposing it lets go of what it holds. */
  begin: () => Disposable & { hold: (bytes: number) => void }
  heldBytes: () => number
}

const retryAfterSeconds = 2

/** Refuses what would be more than `maxBytes` in all with 503 and a Retry-After; one request alone may be larger. */
export const createPressure = (maxBytes: number): Pressure => {
  let total = 0
  return {
    heldBytes: () => total,
    begin: () => {
      let own = 0
      return {
        hold: (bytes) => {
          if (total > own && total + bytes > maxBytes) {
            throw serviceError(
              'unavailable',
              'Too much is being stored at the moment. Nothing of this was; send it again.',
              {
                retryAfterSeconds,
              },
            )
          }
          own += bytes
          total += bytes
        },
        [Symbol.dispose]: () => {
          total -= own
          own = 0
        },
      }
    },
  }
}
