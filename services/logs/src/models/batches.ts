/** Texts that are run together: their indexes among all texts, and the length of the longest in tokens. */
export type TextBatch = { indexes: number[]; length: number }

const maxTexts = 32
/** Includes padding; bounds the memory of a batch. */
const maxTokens = 4_096

/** Sorts by length, since every text of a batch is padded to the longest. */
export const batchesOf = (lengths: readonly number[]): TextBatch[] => {
  const batches: TextBatch[] = []
  const byLength = [...lengths.keys()].toSorted((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0))
  for (const index of byLength) {
    const length = lengths[index] ?? 0
    const last = batches.at(-1)
    const hasRoom = last && last.indexes.length < maxTexts && (last.indexes.length + 1) * length <= maxTokens
    if (last && hasRoom) {
      last.indexes.push(index)
      last.length = length
    } else batches.push({ indexes: [index], length })
  }
  return batches
}
