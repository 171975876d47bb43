/** Texts that go through the network together: their places among all, and the length of the longest. */
export type TextBatch = { places: number[]; length: number }

const textsAtMost = 32
/** Padding included; it bounds the memory that a batch takes. */
const tokensAtMost = 4_096

/** Sorted by length, since every text of a batch costs as much as the longest. */
export const batchesOf = (lengths: readonly number[]): TextBatch[] => {
  const batches: TextBatch[] = []
  const byLength = [...lengths.keys()].toSorted((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0))
  for (const place of byLength) {
    const length = lengths[place] ?? 0
    const last = batches.at(-1)
    const hasRoom = last && last.places.length < textsAtMost && (last.places.length + 1) * length <= tokensAtMost
    if (last && hasRoom) {
      last.places.push(place)
      last.length = length
    } else batches.push({ places: [place], length })
  }
  return batches
}
