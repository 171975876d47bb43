import type { ByteSource } from './byte-source.ts'
import type { AudioContainer } from './decoded-audio.ts'
import { createMixdown } from './mixdown.ts'
import { openAudio } from './open-audio.ts'
import { type Block, blockLength, sliceBlock } from './pcm.ts'
import { AudioRefused, invalidAudio } from './refusal.ts'
import { STORED_LAYOUT } from './stored-audio.ts'

/** What an upload may be. */
export interface AudioLimits {
  readonly maxSeconds: number
  readonly minSeconds: number
  readonly lowestRate: number
  readonly highestRate: number
  readonly maxChannels: number
  /** The most that the samples may take as they are stored; undefined for no limit but the seconds. */
  readonly maxBytes?: number
}

export const AUDIO_LIMITS: AudioLimits = {
  maxSeconds: 1200,
  minSeconds: 1,
  lowestRate: 8_000,
  highestRate: 192_000,
  maxChannels: 64,
}

/** A file on its way in: of known shape, with one or two channels, its blocks within the limits. */
export interface Ingested {
  readonly container: AudioContainer
  readonly sampleRate: number
  readonly channels: 1 | 2
  /** The samples, once. Throws AudioRefused when they turn out to be too many, too few or damaged. */
  readonly blocks: AsyncIterable<Block>
}

/** Longest block that is passed on, so that whatever consumes them holds little (frames). */
const LONGEST_BLOCK = 65_536

/** What blocks pass through: they come out with so many channels. */
interface Passing {
  readonly sampleRate: number
  readonly channels: 1 | 2
  readonly limits: AudioLimits
  readonly mixdown: (block: Block) => Block
}

async function* checkedBlocks(
  blocks: AsyncIterable<Block>,
  { sampleRate, channels, limits, mixdown }: Passing,
): AsyncGenerator<Block> {
  let frames = 0
  const frameBytes = channels * STORED_LAYOUT.bytes
  for await (const block of blocks) {
    frames += blockLength(block)
    if (frames * frameBytes > (limits.maxBytes ?? Number.POSITIVE_INFINITY)) throw tooLarge(limits)
    if (frames > limits.maxSeconds * sampleRate) throw tooLong(limits)
    for (let at = 0; at < blockLength(block); at += LONGEST_BLOCK) {
      yield mixdown(sliceBlock(block, at, at + LONGEST_BLOCK))
    }
  }
  if (frames === 0) throw invalidAudio('The file holds no audio.')
  if (frames < limits.minSeconds * sampleRate) {
    throw new AudioRefused('too_short', `The audio is shorter than ${limits.minSeconds} s.`)
  }
}

const tooLong = ({ maxSeconds }: AudioLimits): AudioRefused =>
  new AudioRefused('too_long', `The audio is longer than ${maxSeconds} s: cut it and send a part.`)

const tooLarge = ({ maxBytes = 0 }: AudioLimits): AudioRefused =>
  new AudioRefused(
    'too_large',
    `Decoded, the audio takes more than the ${Math.floor(maxBytes / 1_000_000)} MB that you have left: delete chains or nodes, or send less.`,
  )

/**
 * Opens an upload for reading within limits. What its header promises is checked at once, what it holds while it is
 * decoded: a small file can stand for hours.
 */
export const ingestAudio = async (source: ByteSource, limits: AudioLimits = AUDIO_LIMITS): Promise<Ingested> => {
  const audio = await openAudio(source)
  const { sampleRate, channels, container } = audio
  if (!(sampleRate >= limits.lowestRate && sampleRate <= limits.highestRate)) {
    const range = `${limits.lowestRate} to ${limits.highestRate} Hz`
    throw new AudioRefused('out_of_limits', `The sample rate is ${sampleRate} Hz; it must be ${range}.`)
  }
  if (channels > limits.maxChannels) {
    throw new AudioRefused(
      'out_of_limits',
      `The file has ${channels} channels; at most ${limits.maxChannels} are read.`,
    )
  }
  if ((audio.promisedFrames ?? 0) > limits.maxSeconds * sampleRate) throw tooLong(limits)
  const mixdown = createMixdown(channels, audio.channelOrder)
  const passing: Passing = { sampleRate, channels: channels === 1 ? 1 : 2, limits, mixdown }
  return {
    container,
    sampleRate,
    channels: passing.channels,
    blocks: checkedBlocks(audio.blocks, passing),
  }
}
