import { overviewFrames, readOverview } from './overview.ts'
import { type Block, blockLength } from './pcm.ts'
import type { StoredAudio } from './stored-audio.ts'

/** The outline of a waveform: the lowest and the highest sample (of all channels) of each of `points` equal stretches. */
export type Peaks = {
  readonly min: number[]
  readonly max: number[]
}

/** Stretches longer than this many entries are read from the overview, which is exact to one entry at their edges. */
const fewestEntries = 4
/** Frames per read. */
const framesPerRead = 65_536

/** Reads the extremes of consecutive stretches, holding one block at a time. */
const createExtremesReader = (audio: StoredAudio) => {
  let [block, blockStart]: [Block, number] = [[], 0]
  return async (start: number, end: number): Promise<{ low: number; high: number }> => {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (let frame = start; frame < end; ) {
      if (frame < blockStart || frame >= blockStart + blockLength(block)) {
        block = await audio.read(frame, framesPerRead)
        blockStart = frame
        if (blockLength(block) === 0) break
      }
      const stop = Math.min(end, blockStart + blockLength(block))
      for (const channel of block) {
        for (let i = frame - blockStart; i < stop - blockStart; i++) {
          const value = channel[i] ?? 0
          if (value < low) low = value
          if (value > high) high = value
        }
      }
      frame = stop
    }
    return Number.isFinite(low) ? { low, high } : { low: 0, high: 0 }
  }
}

/**
 * The outline of a stored piece of at least one frame. Stretch i begins at frame floor(i × frames / points). With more points
 * than frames, neighbours share a frame, so the outline always has `points` points.
 */
export const peaksOf = async (audio: StoredAudio, overview: Uint8Array | undefined, points: number): Promise<Peaks> => {
  const [min, max]: [number[], number[]] = [[], []]
  const isCoarse = overview !== undefined && audio.frames / points >= fewestEntries * overviewFrames
  const extremes = isCoarse ? readOverview(overview) : createExtremesReader(audio)
  for (let point = 0; point < points; point++) {
    const start = Math.min(Math.floor((point * audio.frames) / points), audio.frames - 1)
    const end = Math.max(start + 1, Math.floor(((point + 1) * audio.frames) / points))
    const { low, high } = await extremes(start, end)
    min.push(low)
    max.push(high)
  }
  return { min, max }
}
