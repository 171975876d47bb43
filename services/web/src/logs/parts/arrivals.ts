/**
 * Counts lines that arrive live. A stream begins with its history, which comes at once and is older: what has come by the time that the first lines
 * are shown does not count.
 */
export const countArrivals = () => {
  let isHistoryShown = false
  let arrived = 0
  return {
    add: (): void => {
      arrived += 1
    },
    /** Notes that all lines so far are shown. */
    shown: (): void => {
      if (!isHistoryShown) arrived = 0
      isHistoryShown = true
    },
    /** The number of lines since the last call. */
    take: (): number => {
      const taken = isHistoryShown ? arrived : 0
      arrived -= taken
      return taken
    },
  }
}
