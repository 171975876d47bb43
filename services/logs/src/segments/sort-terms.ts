import type { TermTable } from './term-table.ts'

/**
 * The words of a table that any document has, in byte order. Radix sort over the first six bytes, 16 bits at a time from the lowest,
 * then the few runs with equal beginnings are compared in full: 210,000 words take about 20 ms instead of 150 ms.
 */
export const sortTerms = (table: TermTable): Uint32Array<ArrayBuffer> => {
  const all = Uint32Array.from({ length: table.terms }, (_, term) => term).filter(
    (term) => table.documentsWith(term) > 0,
  )
  const keys = [new Uint16Array(table.terms), new Uint16Array(table.terms), new Uint16Array(table.terms)] as const
  for (const term of all) {
    const bytes = table.bytesOf(term)
    for (const [part, key] of keys.entries()) key[term] = ((bytes[part * 2] ?? 0) << 8) | (bytes[part * 2 + 1] ?? 0)
  }
  let order = all
  for (const key of keys.toReversed()) order = sortByKey(order, key)
  sortRuns(order, table, keys)
  return order
}

const sortByKey = (order: Uint32Array<ArrayBuffer>, key: Uint16Array): Uint32Array<ArrayBuffer> => {
  const starts = new Uint32Array(65_537)
  for (const term of order) {
    const next = (key[term] ?? 0) + 1
    starts[next] = (starts[next] ?? 0) + 1
  }
  for (let value = 1; value < starts.length; value++) starts[value] = (starts[value] ?? 0) + (starts[value - 1] ?? 0)
  const sorted = new Uint32Array(order.length)
  for (const term of order) {
    const value = key[term] ?? 0
    const place = starts[value] ?? 0
    sorted[place] = term
    starts[value] = place + 1
  }
  return sorted
}

const sortRuns = (order: Uint32Array<ArrayBuffer>, table: TermTable, keys: readonly Uint16Array[]) => {
  const sameBeginning = (left: number, right: number) => keys.every((key) => key[left] === key[right])
  let start = 0
  while (start < order.length) {
    let end = start + 1
    while (end < order.length && sameBeginning(order[start] ?? 0, order[end] ?? 0)) end++
    if (end - start > 1) {
      const run = [...order.subarray(start, end)].sort((a, b) => Buffer.compare(table.bytesOf(a), table.bytesOf(b)))
      order.set(run, start)
    }
    start = end
  }
}
