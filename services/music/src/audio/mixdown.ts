import type { ChannelOrder } from './decoded-audio.ts'
import type { Block } from './pcm.ts'

/** Gains of a channel to the left and to the right. */
type Gains = readonly [left: number, right: number]

const halfPower = Math.SQRT1_2
const LEFT: Gains = [1, 0]
const RIGHT: Gains = [0, 1]
const centre: Gains = [halfPower, halfPower]
const surroundLeft: Gains = [halfPower, 0]
const surroundRight: Gains = [0, halfPower]
const surroundCentre: Gains = [0.5, 0.5]
/** The low-frequency channel is left out, as in ITU-R BS.775. */
const silent: Gains = [0, 0]

/** Channel order by count: WAV, AIFF and FLAC use the SMPTE order, Vorbis and Opus that of the Vorbis specification, AAC and ALAC that of MPEG-4. */
const layouts: Record<ChannelOrder, Record<number, readonly Gains[]>> = {
  smpte: {
    3: [LEFT, RIGHT, centre],
    4: [LEFT, RIGHT, surroundLeft, surroundRight],
    5: [LEFT, RIGHT, centre, surroundLeft, surroundRight],
    6: [LEFT, RIGHT, centre, silent, surroundLeft, surroundRight],
    7: [LEFT, RIGHT, centre, silent, surroundCentre, surroundLeft, surroundRight],
    8: [LEFT, RIGHT, centre, silent, surroundLeft, surroundRight, surroundLeft, surroundRight],
  },
  vorbis: {
    3: [LEFT, centre, RIGHT],
    4: [LEFT, RIGHT, surroundLeft, surroundRight],
    5: [LEFT, centre, RIGHT, surroundLeft, surroundRight],
    6: [LEFT, centre, RIGHT, surroundLeft, surroundRight, silent],
    7: [LEFT, centre, RIGHT, surroundLeft, surroundRight, surroundCentre, silent],
    8: [LEFT, centre, RIGHT, surroundLeft, surroundRight, surroundLeft, surroundRight, silent],
  },
  mpeg: {
    3: [centre, LEFT, RIGHT],
    4: [centre, LEFT, RIGHT, surroundCentre],
    5: [centre, LEFT, RIGHT, surroundLeft, surroundRight],
    6: [centre, LEFT, RIGHT, surroundLeft, surroundRight, silent],
    7: [centre, LEFT, RIGHT, surroundLeft, surroundRight, surroundCentre, silent],
    8: [centre, LEFT, RIGHT, LEFT, RIGHT, surroundLeft, surroundRight, silent],
  },
}

/** Without a known layout, channels alternate between left and right. */
const alternating = (channels: number): readonly Gains[] =>
  Array.from({ length: channels }, (_, index) => (index % 2 === 0 ? LEFT : RIGHT))

/**
 * Creates a function that mixes blocks of `channels` down to one or two. Gains follow ITU-R BS.775 and are scaled so that the
 * mix cannot clip where the channels did not.
 */
export const createMixdown = (channels: number, order: ChannelOrder): ((block: Block) => Block) => {
  if (channels <= 2) return (block) => block
  const gains = layouts[order][channels] ?? alternating(channels)
  const scale = 1 / Math.max(...[0, 1].map((side) => gains.reduce((sum, gain) => sum + (gain[side] ?? 0), 0)))
  return (block) =>
    [0, 1].map((side) => {
      const mixed = new Float32Array(block[0]?.length ?? 0)
      for (const [index, channel] of block.entries()) {
        const gain = (gains[index]?.[side] ?? 0) * scale
        if (gain !== 0) for (let i = 0; i < mixed.length; i++) mixed[i] = (mixed[i] ?? 0) + gain * (channel[i] ?? 0)
      }
      return mixed
    })
}
