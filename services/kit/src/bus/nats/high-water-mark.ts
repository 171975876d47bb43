/** The highest number of a family's stream that this process has met: what has it or a lower one was published before now. */
export const createHighWaterMark = () => {
  let highest = 0
  return {
    seen: () => highest,
    see: (sequence: number) => {
      highest = Math.max(highest, sequence)
    },
  }
}

export type HighWaterMark = ReturnType<typeof createHighWaterMark>
