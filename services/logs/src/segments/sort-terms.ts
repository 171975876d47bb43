import type { Blocks } from './blocks.ts'
import type { TermTable } from './term-table.ts'

/** Words per step: a few milliseconds. */
const termsPerStep = 32_000
/** The number of values of a 16-bit key. */
const keyValues = 65_536

/**
 * The words with documents, in byte order. Radix sort over the first six bytes, 16 bits at a time from the lowest, then a full comparison within
 * the few runs of equal prefixes: 210,000 words take about 20 ms instead of 150 ms. A generator, so that other work runs between its steps; the
 * table must not change meanwhile. The caller must free the memory of the result.
 */
export function* sortTerms(table: TermTable, blocks: Blocks): Generator<undefined, Uint32Array<ArrayBuffer>> {
  const { bytes, ends } = table.words()
  const { terms } = table
  const newKeys = () => new Uint16Array(blocks.take(terms * 2), 0, terms)
  const newNumbers = (count: number) => new Uint32Array(blocks.take(count * 4), 0, count)
  const keys = [newKeys(), newKeys(), newKeys()] as const
  const [first, second, third] = keys
  const all = newNumbers(terms)
  let found = 0
  let start = 0
  for (let term = 0; term < terms; term++) {
    const end = ends[term] ?? 0
    if (table.documentsWith(term) > 0) all[found++] = term
    const byteAt = (offset: number) => (start + offset < end ? (bytes[start + offset] ?? 0) : 0)
    first[term] = (byteAt(0) << 8) | byteAt(1)
    second[term] = (byteAt(2) << 8) | byteAt(3)
    third[term] = (byteAt(4) << 8) | byteAt(5)
    start = end
    if ((term + 1) % termsPerStep === 0) yield
  }
  let order = all.subarray(0, found)
  let spare = newNumbers(terms).subarray(0, found)
  const starts = newNumbers(keyValues + 1)
  for (const key of keys.toReversed()) {
    yield* sortByKey(order, key, { starts, sorted: spare })
    ;[order, spare] = [spare, order]
  }
  yield* sortRuns(order, { bytes, ends, keys })
  for (const { buffer } of [...keys, spare, starts]) blocks.free(buffer)
  return order
}

type KeySort = { starts: Uint32Array; sorted: Uint32Array }

/** Sorts `order` into `sorted` by each term's key; the sort is stable. */
function* sortByKey(order: Uint32Array, key: Uint16Array, { starts, sorted }: KeySort) {
  starts.fill(0)
  for (let index = 0; index < order.length; index++) {
    const next = (key[order[index] ?? 0] ?? 0) + 1
    starts[next] = (starts[next] ?? 0) + 1
  }
  for (let value = 1; value < starts.length; value++) starts[value] = (starts[value] ?? 0) + (starts[value - 1] ?? 0)
  for (let index = 0; index < order.length; index++) {
    if (index % termsPerStep === 0) yield
    const term = order[index] ?? 0
    const value = key[term] ?? 0
    const target = starts[value] ?? 0
    sorted[target] = term
    starts[value] = target + 1
  }
  yield
}

type Words = { bytes: Uint8Array; ends: Uint32Array; keys: readonly [Uint16Array, Uint16Array, Uint16Array] }

function* sortRuns(order: Uint32Array, { bytes, ends, keys: [first, second, third] }: Words) {
  const startOf = (term: number) => (term === 0 ? 0 : (ends[term - 1] ?? 0))
  const compare = (left: number, right: number): number => {
    const [from, other] = [startOf(left), startOf(right)]
    const [length, otherLength] = [(ends[left] ?? 0) - from, (ends[right] ?? 0) - other]
    for (let index = 0; index < length && index < otherLength; index++) {
      const difference = (bytes[from + index] ?? 0) - (bytes[other + index] ?? 0)
      if (difference !== 0) return difference
    }
    return length - otherLength
  }
  let start = 0
  let looked = 0
  while (start < order.length) {
    const term = order[start] ?? 0
    let end = start + 1
    for (; end < order.length; end++) {
      const next = order[end] ?? 0
      if (first[term] !== first[next] || second[term] !== second[next] || third[term] !== third[next]) break
    }
    if (end - start > 1) order.subarray(start, end).sort(compare)
    looked += end - start
    start = end
    if (looked < termsPerStep) continue
    looked = 0
    yield
  }
}
