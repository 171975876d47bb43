/** The newest items of a stream, up to a capacity; older ones are dropped. Items keep their number for ever. */
export const createRing = <Item>(capacity: number) => {
  let items: (Item | undefined)[] = []
  let first = 0
  let next = 0
  const push = (added: readonly Item[]): void => {
    for (const item of added) {
      items[next % capacity] = item
      next += 1
    }
    first = Math.max(first, next - capacity)
  }
  return {
    push,
    /** Adds items before that of a number. The items after them get new numbers. */
    insert: (number: number, added: readonly Item[]): void => {
      const start = Math.max(first, Math.min(number, next))
      const later: Item[] = []
      for (let each = start; each < next; each += 1) later.push(items[each % capacity] as Item)
      next = start
      push(added)
      push(later)
    },
    /** The item at a position among those retained, the oldest being 0. */
    at: (position: number): Item | undefined => {
      const number = first + position
      return number >= first && number < next ? items[number % capacity] : undefined
    },
    clear: (): void => {
      items = []
      first = 0
      next = 0
    },
    get size(): number {
      return next - first
    },
    /** Number of all items that were ever pushed. */
    get total(): number {
      return next
    },
    /** Number of items that were dropped. */
    get dropped(): number {
      return first
    },
  }
}

export type Ring<Item> = ReturnType<typeof createRing<Item>>
