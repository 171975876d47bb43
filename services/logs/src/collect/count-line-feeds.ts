const lineFeed = 10

/** The number of line feeds in a range of bytes. It uses the platform's search for a byte, which compares several bytes at once. */
export const countLineFeeds = (bytes: Uint8Array, from = 0, to = bytes.length): number => {
  let count = 0
  for (let at = bytes.indexOf(lineFeed, from); at >= 0 && at < to; at = bytes.indexOf(lineFeed, at + 1)) count++
  return count
}
