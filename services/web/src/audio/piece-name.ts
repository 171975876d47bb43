const maxName = 200

/** The name of a piece: that of its file, as long as a name may be. A cut through a character leaves half of it, which is removed. */
export const nameOf = (fileName: string): string =>
  fileName
    .replace(/\.[^.]+$/, '')
    .slice(0, maxName)
    .replace(/[\uD800-\uDBFF]$/, '')
