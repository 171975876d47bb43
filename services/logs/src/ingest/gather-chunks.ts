/** Copies the bytes into chunks of at least `bytes` bytes each; the last chunk may be smaller. */
export async function* gatherChunks(
  content: AsyncIterable<Uint8Array>,
  bytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let gathered: Uint8Array[] = []
  let size = 0
  const take = () => {
    const chunk = new Uint8Array(size)
    let offset = 0
    for (const part of gathered) {
      chunk.set(part, offset)
      offset += part.length
    }
    gathered = []
    size = 0
    return chunk
  }
  try {
    for await (const part of content) {
      gathered.push(part)
      size += part.length
      if (size >= bytes) yield take()
    }
  } catch (error) {
    // Bytes received before the failure are yielded first.
    if (size > 0) yield take()
    throw error
  }
  if (size > 0) yield take()
}
