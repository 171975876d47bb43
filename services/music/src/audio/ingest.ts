import type { ByteSource } from './byte-source.ts'
import type { AudioContainer } from './decoded-audio.ts'
import { createMixdown } from './mixdown.ts'
import { openAudio } from './open-audio.ts'
import { type Block, blockLength, sliceBlock } from './pcm.ts'
import { AudioRefused, invalidAudio } from './refusal.ts'

/** What an upload may be. */
export interface AudioLimits {
  readonly maximumSeconds: number
  readonly minimumSeconds: number
  readonly lowestRate: number
  readonly highestRate: number
  readonly maximumChannels: number
}

export const AUDIO_LIMITS: AudioLimits = {
  maximumSeconds: 1200,
  minimumSeconds: 1,
  lowestRate: 8_000,
  highestRate: 192_000,
  maximumChannels: 64,
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

async function* checkedBlocks(
  blocks: AsyncIterable<Block>,
  { sampleRate, limits, mixdown }: { sampleRate: number; limits: AudioLimits; mixdown: (block: Block) => Block },
): AsyncGenerator<Block> {
  let frames = 0
  for await (const block of blocks) {
    frames += blockLength(block)
    if (frames > limits.maximumSeconds * sampleRate) throw tooLong(limits)
    for (let at = 0; at < blockLength(block); at += LONGEST_BLOCK) {
      yield mixdown(sliceBlock(block, at, at + LONGEST_BLOCK))
    }
  }
  if (frames === 0) throw invalidAudio('The file holds no audio.')
  if (frames < limits.minimumSeconds * sampleRate) {
    throw new AudioRefused('too_short', `The audio is shorter than ${limits.minimumSeconds} s.`)
  }
}

const tooLong = ({ maximumSeconds }: AudioLimits): AudioRefused =>
  new AudioRefused('too_long', `The audio is longer than ${maximumSeconds} s: cut it and send a part.`)

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
  if (channels > limits.maximumChannels) {
    throw new AudioRefused(
      'out_of_limits',
      `The file has ${channels} channels; at most ${limits.maximumChannels} are read.`,
    )
  }
  if ((audio.promisedFrames ?? 0) > limits.maximumSeconds * sampleRate) throw tooLong(limits)
  const mixdown = createMixdown(channels, audio.channelOrder)
  return {
    container,
    sampleRate,
    channels: channels === 1 ? 1 : 2,
    blocks: checkedBlocks(audio.blocks, { sampleRate, limits, mixdown }),
  }
}
