import { setTimeout as sleep } from 'node:timers/promises'

/** Yielded between items when the interval has elapsed since the last tick. */
export const tick: unique symbol = Symbol('the interval has elapsed')

/** Yields the items, and ticks in between. A consumer that stops early must end the source of the items, because a pending item is not awaited. */
export async function* withTicks<Item>(
  items: AsyncIterable<Item>,
  milliseconds: number,
): AsyncGenerator<Item | typeof tick> {
  const iterator = items[Symbol.asyncIterator]()
  const ending = new AbortController()
  const nextTick = (): Promise<typeof tick> =>
    sleep(milliseconds, undefined, { signal: ending.signal, ref: false }).then(
      () => tick,
      () => tick,
    )
  const nextItem = () => {
    const next = iterator.next()
    // Avoids an unhandled rejection of an item that is not awaited any more.
    next.catch(() => undefined)
    return next
  }
  try {
    let due = nextTick()
    let item = nextItem()
    for (;;) {
      const first = await Promise.race([item, due])
      if (first === tick) {
        yield tick
        due = nextTick()
        continue
      }
      if (first.done) return
      yield first.value
      item = nextItem()
    }
  } finally {
    ending.abort()
    void iterator.return?.()?.catch(() => undefined)
  }
}
