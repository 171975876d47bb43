import type { ChannelOrder, DecodedAudio } from './decoded-audio.ts'
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

/** Gains of the speakers of WAVE_FORMAT_EXTENSIBLE, by bit: front, low, back, front between, back centre, sides, and those above. */
const speakerGains: readonly Gains[] = [
  ...[LEFT, RIGHT, centre, silent, surroundLeft, surroundRight, LEFT, RIGHT, surroundCentre],
  ...[surroundLeft, surroundRight, surroundCentre, surroundLeft, surroundCentre, surroundRight],
  ...[surroundLeft, surroundCentre, surroundRight],
]

/** Gains of the channels by their speakers; undefined unless each channel has a known one. */
const gainsOfSpeakers = (channels: number, speakers: number): readonly Gains[] | undefined => {
  const gains = speakerGains.filter((_, bit) => (speakers >>> bit) & 1)
  return gains.length < channels ? undefined : gains.slice(0, channels)
}

/** Without a known layout, channels alternate between left and right. */
const alternating = (channels: number): readonly Gains[] =>
  Array.from({ length: channels }, (_, index) => (index % 2 === 0 ? LEFT : RIGHT))

/**
 * Creates a function that mixes the blocks of a file down to one or two channels. Gains follow ITU-R BS.775 and are scaled so that the
 * mix cannot clip where the channels did not.
 */
export const createMixdown = ({
  channels,
  channelOrder,
  speakers = 0,
}: Pick<DecodedAudio, 'channels' | 'channelOrder' | 'speakers'>): ((block: Block) => Block) => {
  if (channels <= 2) return (block) => block
  const gains = gainsOfSpeakers(channels, speakers) ?? layouts[channelOrder][channels] ?? alternating(channels)
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
