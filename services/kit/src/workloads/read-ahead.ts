/**
 * Requests the next item before it is awaited. A rejection reaches the reader when it awaits the item; until then, and where the reader has
 * returned, it does not count as unhandled, which would end the process.
 */
export const readAhead = <Item>(items: AsyncIterator<Item>): Promise<IteratorResult<Item>> => {
  const next = items.next()
  next.catch(() => undefined)
  return next
}
