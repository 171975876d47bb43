import { serviceError } from '@trellis/kit/errors'

/** Memory budget for the bodies of requests in progress, in bytes. */
export type Pressure = {
  /** Begins a request that holds no bytes yet; disposing it releases its bytes. */
  begin: () => Disposable & { hold: (bytes: number) => void }
  heldBytes: () => number
}

const retryAfterSeconds = 2

/** Requests that would exceed `maxBytes` in total get 503 with a Retry-After. A single request may exceed it when no other holds bytes. */
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
              'Too many requests are being stored at the moment. Nothing of this one was stored; send it again.',
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
