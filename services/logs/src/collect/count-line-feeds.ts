const lineFeed = 10

/** How many lines end in some bytes. The search for a byte is the platform's, which looks at many at once. */
export const countLineFeeds = (bytes: Uint8Array, from = 0, to = bytes.length): number => {
  let count = 0
  for (let at = bytes.indexOf(lineFeed, from); at >= 0 && at < to; at = bytes.indexOf(lineFeed, at + 1)) count++
  return count
}
