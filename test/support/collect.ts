/** The first `count` items of an iterable, which is then closed. */
export const take = async <Item>(items: AsyncIterable<Item>, count: number): Promise<Item[]> => {
  const taken: Item[] = []
  if (count === 0) return taken
  for await (const item of items) {
    taken.push(item)
    if (taken.length === count) break
  }
  return taken
}

/** All items of an iterable. */
export const collect = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}
