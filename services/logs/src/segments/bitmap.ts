/** A set of document numbers: one bit each, 32 to a word. */
export type Bitmap = Uint32Array<ArrayBuffer>

export const createBitmap = (documents: number): Bitmap => new Uint32Array((documents + 31) >>> 5)

export const setBit = (bitmap: Bitmap, document: number): void => {
  const word = document >>> 5
  bitmap[word] = (bitmap[word] ?? 0) | (1 << (document & 31))
}

export const hasBit = (bitmap: Bitmap, document: number): boolean =>
  ((bitmap[document >>> 5] ?? 0) & (1 << (document & 31))) !== 0

/** A bitmap with all documents. */
export const fullBitmap = (documents: number): Bitmap => {
  const bitmap = createBitmap(documents).fill(0xffffffff)
  const rest = documents & 31
  if (rest !== 0) bitmap[bitmap.length - 1] = 2 ** rest - 1
  return bitmap
}

export const intersect = (target: Bitmap, other: Bitmap): void => {
  for (let word = 0; word < target.length; word++) target[word] = (target[word] ?? 0) & (other[word] ?? 0)
}

export const unite = (target: Bitmap, other: Bitmap): void => {
  for (let word = 0; word < target.length; word++) target[word] = (target[word] ?? 0) | (other[word] ?? 0)
}

export const subtract = (target: Bitmap, other: Bitmap): void => {
  for (let word = 0; word < target.length; word++) target[word] = (target[word] ?? 0) & ~(other[word] ?? 0)
}

/** The number of set bits of a word. */
export const onesOf = (word: number): number => {
  let bits = word - ((word >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

export const countBits = (bitmap: Bitmap): number => {
  let count = 0
  for (let word = 0; word < bitmap.length; word++) count += onesOf(bitmap[word] ?? 0)
  return count
}

export const countCommonBits = (left: Bitmap, right: Bitmap): number => {
  let count = 0
  for (let word = 0; word < left.length; word++) count += onesOf((left[word] ?? 0) & (right[word] ?? 0))
  return count
}

/** The documents in ascending order, as an array: hot loops are slower with a callback for each. */
export const documentsOf = (bitmap: Bitmap): Uint32Array<ArrayBuffer> => {
  const documents = new Uint32Array(countBits(bitmap))
  let found = 0
  for (let word = 0; word < bitmap.length; word++) {
    let rest = bitmap[word] ?? 0
    while (rest !== 0) {
      const lowest = rest & -rest
      documents[found++] = (word << 5) + (31 - Math.clz32(lowest))
      rest ^= lowest
    }
  }
  return documents
}
