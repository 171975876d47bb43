/** The whole content from its start, and the number of bytes already read; `isWhole` if those are all of it. */
export type HeldBack = { content: AsyncIterable<Uint8Array>; bytes: number; isWhole: boolean }

/** Reads the beginning of a content, up to the chunk that exceeds `maxBytes`. A failure of the source is thrown to the reader of `content`. */
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
