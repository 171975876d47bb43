/** What was read of a content, and the content from its start; it is whole where nothing is left to come. */
export type HeldBack = { content: AsyncIterable<Uint8Array>; bytes: number; isWhole: boolean }

/** Reads the beginning of a content, no further than the chunk that goes past `maxBytes`. What breaks off does so for its reader. */
export const holdBack = async (content: AsyncIterable<Uint8Array>, maxBytes: number): Promise<HeldBack> => {
  const iterator = content[Symbol.asyncIterator]()
  const chunks: Uint8Array[] = []
  let bytes = 0
  let broken: { cause: unknown } | undefined
  let isWhole = false
  try {
    while (!isWhole && bytes <= maxBytes) {
      const { done, value } = await iterator.next()
      if (done) isWhole = true
      else {
        chunks.push(value)
        bytes += value.length
      }
    }
  } catch (cause) {
    broken = { cause }
  }
  const fromStart = async function* () {
    yield* chunks.splice(0)
    if (broken) throw broken.cause
    if (!isWhole) yield* { [Symbol.asyncIterator]: () => iterator }
  }
  return { content: fromStart(), bytes, isWhole }
}
