/**
 * Reads the body of a response up to a number of bytes. `isWhole` is false if it has more, which is not read; an absent body is empty. Throws the body's
 * error if it breaks off before.
 */
export const readUpTo = async (
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
): Promise<{ bytes: Buffer; isWhole: boolean }> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    size += chunk.byteLength
    // Leaving the loop ends the response.
    if (size > maxBytes) break
  }
  return { bytes: Buffer.concat(chunks, Math.min(size, maxBytes)), isWhole: size <= maxBytes }
}
