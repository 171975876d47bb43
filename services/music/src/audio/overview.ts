import { type Block, blockLength } from './pcm.ts'

/** Frames per entry of an overview. */
export const overviewFrames = 256

/** Extremes of a stretch, -1..1. */
export type Extremes = {
  readonly low: number
  readonly high: number
}

/** Builds the overview of a piece while it is written: lowest and highest sample of each OVERVIEW_FRAMES frames. */
export const createOverview = () => {
  const entries: number[] = []
  let [low, high, filled] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0]
  const close = () => {
    entries.push(Math.round(low * 32_767), Math.round(high * 32_767))
    low = Number.POSITIVE_INFINITY
    high = Number.NEGATIVE_INFINITY
    filled = 0
  }
  return {
    push(block: Block): void {
      for (let frame = 0; frame < blockLength(block); ) {
        const end = Math.min(blockLength(block), frame + overviewFrames - filled)
        for (const channel of block) {
          for (let i = frame; i < end; i++) {
            const value = channel[i] ?? 0
            if (value < low) low = value
            if (value > high) high = value
          }
        }
        filled += end - frame
        frame = end
        if (filled === overviewFrames) close()
      }
    },
    /** Pairs of 16-bit numbers. The overview must not be used afterwards. */
    finish(): Uint8Array {
      if (filled > 0) close()
      const clipped = Int16Array.from(entries, (value) => Math.max(-32_767, Math.min(32_767, value)))
      return new Uint8Array(clipped.buffer)
    },
  }
}

/** Reads the extremes of the entries that a stretch of frames covers. */
export const readOverview = (bytes: Uint8Array): ((start: number, end: number) => Extremes) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const count = Math.floor(bytes.length / 4)
  return (start, end) => {
    const first = Math.min(count - 1, Math.floor(start / overviewFrames))
    const last = Math.min(count, Math.max(first + 1, Math.ceil(end / overviewFrames)))
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (let entry = Math.max(0, first); entry < last; entry++) {
      low = Math.min(low, view.getInt16(entry * 4, true))
      high = Math.max(high, view.getInt16(entry * 4 + 2, true))
    }
    return Number.isFinite(low) ? { low: low / 32_767, high: high / 32_767 } : { low: 0, high: 0 }
  }
}
