const maxShown = 40

/** The categories whose names have all of the words that were typed, those that begin with them first. */
export const matchingPaths = (paths: readonly string[], typed: string): string[] => {
  const words = typed
    .toLowerCase()
    .split(/[\s>]+/)
    .filter((word) => word !== '')
  const begins = (path: string) => Number(path.toLowerCase().startsWith(typed.trim().toLowerCase()))
  return paths
    .filter((path) => words.every((word) => path.toLowerCase().includes(word)))
    .toSorted((a, b) => begins(b) - begins(a) || a.localeCompare(b, 'en'))
    .slice(0, maxShown)
}
