import { addAbortListener } from './child-abort-controller.ts'

/** Closes an iterator without waiting, because its pending `next` may never settle. */
const abandon = (iterator: AsyncIterator<unknown>): void => {
  Promise.resolve(iterator.return?.()).catch(() => undefined)
}

/**
 * Yields the items of an iterable until a signal aborts. Then it throws the signal's reason at once, even while the source is silent, so that
 * a source that never settles cannot retain its reader and the reader's resources. A source that ends after the abort counts as aborted.
 */
export async function* untilAborted<Item>(items: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item> {
  const iterator = items[Symbol.asyncIterator]()
  let isPending = false
  let interrupt = () => {}
  const unlink = addAbortListener(signal, () => interrupt())
  const next = () =>
    new Promise<IteratorResult<Item>>((resolve, reject) => {
      interrupt = () => reject(signal.reason)
      iterator.next().then(resolve, reject)
    })
  try {
    for (;;) {
      signal.throwIfAborted()
      isPending = true
      const { done, value } = await next()
      isPending = false
      signal.throwIfAborted()
      if (done) return
      yield value
    }
  } finally {
    unlink()
    if (isPending) abandon(iterator)
    else await iterator.return?.()
  }
}
