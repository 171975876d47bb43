/** Processes items with limited concurrency, and returns the results in the order of the items. Rejects with the first failure. */
export const inLanes = async <Item, Result>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = []
  const waiting = items.entries()
  const lane = async () => {
    for (const [index, item] of waiting) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, lane))
  return results
}
