/** The highest sequence of a family's stream that this process has seen: events up to it were published before now. */
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
