/**
 * Finds documents by the first four bytes of their key. Open addressing; equal prefixes chain by being neighbours,
 * so all of them are found, and who asks compares the whole ids.
 */
export type KeyTable = {
  add: (prefix: number, document: number) => void
  candidates: (prefix: number) => readonly number[]
}

const nothing: readonly number[] = []

export const createKeyTable = (expected: number): KeyTable => {
  let prefixes = new Uint32Array(sizeFor(expected))
  let documents = new Int32Array(prefixes.length)
  let used = 0

  const place = (prefix: number, document: number) => {
    const mask = prefixes.length - 1
    let slot = (Math.imul(prefix, 0x9e3779b1) >>> 0) & mask
    while (documents[slot] !== 0) slot = (slot + 1) & mask
    prefixes[slot] = prefix
    documents[slot] = document + 1
  }
  const grow = () => {
    const [oldPrefixes, oldDocuments] = [prefixes, documents]
    prefixes = new Uint32Array(oldPrefixes.length * 2)
    documents = new Int32Array(prefixes.length)
    oldDocuments.forEach((document, slot) => {
      if (document !== 0) place(oldPrefixes[slot] ?? 0, document - 1)
    })
  }
  return {
    add(prefix, document) {
      if (++used * 2 > prefixes.length) grow()
      place(prefix, document)
    },
    candidates(prefix) {
      const mask = prefixes.length - 1
      let slot = (Math.imul(prefix, 0x9e3779b1) >>> 0) & mask
      if (documents[slot] === 0) return nothing
      const found: number[] = []
      while (documents[slot] !== 0) {
        if (prefixes[slot] === prefix) found.push((documents[slot] ?? 0) - 1)
        slot = (slot + 1) & mask
      }
      return found
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
