import type { Block } from './pcm.ts'
import type { StoredAudio } from './wav-write.ts'

/** The outline of a waveform: the lowest and the highest sample (of all channels) of each of `points` equal stretches. */
export interface Peaks {
  readonly points: number
  readonly min: number[]
  readonly max: number[]
}

/** Frames read at a time. */
const FRAMES_PER_READ = 65_536

/**
 * The outline of a stored piece. Stretch i covers the frames from floor(i × frames / points); where there are more
 * points than frames, neighbours share a frame, so that there are always as many points as were asked for.
 */
export const peaksOf = async (audio: StoredAudio, points: number): Promise<Peaks> => {
  const min = new Array<number>(points).fill(0)
  const max = new Array<number>(points).fill(0)
  const startOf = (point: number) => Math.floor((point * audio.frames) / points)
  let [block, blockStart, blockEnd]: [Block, number, number] = [[], 0, 0]
  for (let point = 0; point < points; point++) {
    const start = Math.min(startOf(point), audio.frames - 1)
    const end = Math.max(start + 1, startOf(point + 1))
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (let frame = start; frame < end; ) {
      if (frame < blockStart || frame >= blockEnd) {
        block = await audio.read(frame, FRAMES_PER_READ)
        blockStart = frame
        blockEnd = frame + (block[0]?.length ?? 0)
        if (blockEnd === blockStart) break
      }
      const stop = Math.min(end, blockEnd)
      for (const channel of block) {
        for (let i = frame - blockStart; i < stop - blockStart; i++) {
          const value = channel[i] ?? 0
          if (value < low) low = value
          if (value > high) high = value
        }
      }
      frame = stop
    }
    min[point] = Number.isFinite(low) ? low : 0
    max[point] = Number.isFinite(high) ? high : 0
  }
  return { points, min, max }
}
