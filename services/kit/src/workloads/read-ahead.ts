/**
 * Requests the next item before it is awaited. The reader gets a rejection when it awaits the item; until then, and after the reader has
 * returned, the rejection does not count as unhandled, which would end the process.
 */
export const readAhead = <Item>(items: AsyncIterator<Item>): Promise<IteratorResult<Item>> => {
  const next = items.next()
  next.catch(() => undefined)
  return next
}
