import { type Blocks, newBlocks } from './blocks.ts'

/**
 * Finds documents by the first four bytes of their key. Open addressing; equal prefixes are in neighbouring slots, so that all of them are found
 * and the caller compares whole ids.
 */
export type KeyTable = {
  add: (prefix: number, document: number) => void
  candidates: (prefix: number) => readonly number[]
  /** Frees the memory; the table is empty then. */
  clear: () => void
}

const nothing: readonly number[] = []

export const createKeyTable = (expected: number, blocks: Blocks = newBlocks): KeyTable => {
  const tableOf = (numbers: number) => new Uint32Array(blocks.take(numbers * 4), 0, numbers).fill(0)
  /** Two numbers per slot, adjacent for the CPU cache: the prefix, and the document plus one. */
  let slots = tableOf(sizeFor(expected) * 2)
  let used = 0

  const slotOf = (prefix: number): number => ((Math.imul(prefix, 0x9e3779b1) >>> 0) & ((slots.length >>> 1) - 1)) * 2
  const next = (slot: number): number => (slot + 2) & (slots.length - 1)
  const insert = (prefix: number, document: number) => {
    let slot = slotOf(prefix)
    while (slots[slot + 1] !== 0) slot = next(slot)
    slots[slot] = prefix
    slots[slot + 1] = document + 1
  }
  const grow = () => {
    const before = slots
    slots = tableOf(before.length * 2)
    for (let slot = 0; slot < before.length; slot += 2) {
      const document = before[slot + 1] ?? 0
      if (document !== 0) insert(before[slot] ?? 0, document - 1)
    }
    blocks.free(before.buffer)
  }
  return {
    add(prefix, document) {
      if (++used * 4 > slots.length) grow()
      insert(prefix, document)
    },
    candidates(prefix) {
      let slot = slotOf(prefix)
      let found: number[] | undefined
      for (let document = slots[slot + 1] ?? 0; document !== 0; document = slots[slot + 1] ?? 0) {
        if (slots[slot] === prefix) {
          found ??= []
          found.push(document - 1)
        }
        slot = next(slot)
      }
      return found ?? nothing
    },
    clear() {
      blocks.free(slots.buffer)
      // Lookups after this find nothing, even if the freed memory is reused.
      slots = new Uint32Array(2)
      used = 0
    },
  }
}

const sizeFor = (expected: number) => {
  let size = 64
  while (size < expected * 2) size *= 2
  return size
}

/** The first four bytes of the key at an offset, big-endian. */
export const keyPrefixAt = (keys: Uint8Array, offset: number): number =>
  (((keys[offset] ?? 0) << 24) |
    ((keys[offset + 1] ?? 0) << 16) |
    ((keys[offset + 2] ?? 0) << 8) |
    (keys[offset + 3] ?? 0)) >>>
  0

export const keyPrefixOf = (key: string): number => Number.parseInt(key.slice(0, 8), 16)
