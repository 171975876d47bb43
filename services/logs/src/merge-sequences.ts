/** Merges several sequences in order of arrival; one item of each sequence waits to be taken. */
export type Merge<Item> = {
  /** Adds a sequence; resolves when it ends. If it fails, the merge fails. */
  add: (items: AsyncIterable<Item> | Iterable<Item>) => Promise<void>
  /** As `add`, with each item mapped by `change`; undefined drops the item. It is cheaper than a generator in between. */
  addChanged: <Input>(
    items: AsyncIterable<Input> | Iterable<Input>,
    change: (input: Input) => Item | undefined,
  ) => Promise<void>
  /** Ends the merge with an error. */
  fail: (error: unknown) => void
  /** No more sequences are added: the merge ends with the last one. */
  close: () => void
  /** Ends the merge after the waiting items, even with open sequences. */
  end: () => void
  items: () => AsyncGenerator<Item>
  /** As `items`, with each item mapped by `change` when it is taken. */
  itemsChanged: <Output>(change: (item: Item) => Output) => AsyncGenerator<Output>
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
      for await (const input of items) {
        if (isLeft) return
        const item = change(input)
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
  async function* itemsChanged<Output>(change: (item: Item) => Output): AsyncGenerator<Output> {
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
