/** Several sequences as one, each as it comes; of each, one item waits to be taken. */
export type Merge<Item> = {
  /** Takes part until it ends; resolves then. Its failure is that of all. */
  add: (items: AsyncIterable<Item>) => Promise<void>
  /** As `add`, with each item as `change` gives it, or not where it gives nothing: less than a generator between the two. */
  addChanged: <Given>(items: AsyncIterable<Given>, change: (given: Given) => Item | undefined) => Promise<void>
  /** Ends all with a failure. */
  fail: (error: unknown) => void
  /** No more takes part: all ends with the last of those that do. */
  close: () => void
  /** All ends with what waits to be taken, whoever still takes part. */
  end: () => void
  items: () => AsyncGenerator<Item>
  /** The same, each as `change` gives it when it is taken. */
  itemsChanged: <Given>(change: (item: Item) => Given) => AsyncGenerator<Given>
}

export const createMerge = <Item>(): Merge<Item> => {
  const ready: { item: Item; taken: () => void }[] = []
  let wake: () => void = () => undefined
  let failed: { error: unknown } | undefined
  let underWay = 0
  let isClosed = false
  let isEnded = false
  let isLeft = false
  const fail = (error: unknown) => {
    failed ??= { error }
    wake()
  }
  const isOver = () => isEnded || (isClosed && underWay === 0)
  const addChanged: Merge<Item>['addChanged'] = async (items, change) => {
    underWay += 1
    try {
      for await (const given of items) {
        if (isLeft) return
        const item = change(given)
        if (item === undefined) continue
        await new Promise<void>((taken) => {
          ready.push({ item, taken })
          wake()
        })
        if (isLeft) return
      }
    } catch (error) {
      fail(error)
    } finally {
      underWay -= 1
      wake()
    }
  }
  async function* itemsChanged<Given>(change: (item: Item) => Given): AsyncGenerator<Given> {
    try {
      for (;;) {
        const [next] = ready
        if (next) {
          yield change(next.item)
          ready.shift()
          next.taken()
        } else if (failed) throw failed.error
        else if (isOver()) return
        else
          await new Promise<void>((resolve) => {
            wake = resolve
            if (ready.length > 0 || failed || isOver()) resolve()
          })
      }
    } finally {
      isLeft = true
      for (const { taken } of ready.splice(0)) taken()
    }
  }
  return {
    fail,
    close: () => {
      isClosed = true
      wake()
    },
    end: () => {
      isEnded = true
      wake()
    },
    add: (items) => addChanged(items, (item) => item),
    addChanged,
    items: () => itemsChanged((item) => item),
    itemsChanged,
  }
}
