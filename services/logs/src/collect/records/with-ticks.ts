import { setTimeout as sleep } from 'node:timers/promises'

/** Told of between items, when so long has gone by since the last was. */
export const tick: unique symbol = Symbol('so long has gone by')

/** What comes, and ticks while it comes. Whoever stops early has to end what it comes from: an item that is waited for is not waited for any more. */
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
    // One that fails after nobody waits for it any more is nobody's.
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
