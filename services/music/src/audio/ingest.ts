import type { ByteSource } from './byte-source.ts'
import type { AudioContainer } from './decoded-audio.ts'
import { createMixdown } from './mixdown.ts'
import { openAudio } from './open-audio.ts'
import { type Block, blockLength, sliceBlock } from './pcm.ts'
import { AudioRefused, invalidAudio } from './refusal.ts'
import { storedLayout } from './stored-audio.ts'

/** Limits of an upload. */
export type AudioLimits = {
  readonly maxSeconds: number
  readonly minSeconds: number
  readonly lowestRate: number
  readonly highestRate: number
  readonly maxChannels: number
  /** Maximum size of the stored samples; undefined if only the duration is limited. */
  readonly maxBytes?: number
}

export const audioLimits: AudioLimits = {
  maxSeconds: 1200,
  minSeconds: 1,
  lowestRate: 8_000,
  highestRate: 192_000,
  maxChannels: 64,
}

/** An upload of known shape, with one or two channels, whose blocks are checked against the limits. */
export type Ingested = {
  readonly container: AudioContainer
  readonly sampleRate: number
  readonly channels: 1 | 2
  /** The samples, readable once. Throws AudioRefused when they turn out to be too many, too few or damaged. */
  readonly blocks: AsyncIterable<Block>
}

/** Longest block in frames, so that its consumers need little memory. */
const longestBlock = 65_536

/** How blocks are checked and mixed down. */
type Passing = {
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
  const frameBytes = channels * storedLayout.bytes
  for await (const block of blocks) {
    frames += blockLength(block)
    if (frames * frameBytes > (limits.maxBytes ?? Number.POSITIVE_INFINITY)) throw tooLarge(limits)
    if (frames > limits.maxSeconds * sampleRate) throw tooLong(limits)
    for (let at = 0; at < blockLength(block); at += longestBlock) {
      yield mixdown(sliceBlock(block, at, at + longestBlock))
    }
  }
  if (frames === 0) throw invalidAudio('The file contains no audio.')
  if (frames < limits.minSeconds * sampleRate) {
    throw new AudioRefused('too_short', `The audio is shorter than ${limits.minSeconds} s.`)
  }
}

const tooLong = ({ maxSeconds }: AudioLimits): AudioRefused =>
  new AudioRefused('too_long', `The audio is longer than ${maxSeconds} s: cut it and send a part.`)

/** A size in whole megabytes; below one, in kilobytes, so that a remainder is not reported as 0. */
const sizeOf = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.floor(bytes / 1_000)} KB` : `${Math.floor(bytes / 1_000_000)} MB`

const tooLarge = ({ maxBytes = 0 }: AudioLimits): AudioRefused =>
  new AudioRefused(
    'too_large',
    `Decoded, the audio takes more than the ${sizeOf(maxBytes)} that you have left: delete chains or nodes, or send less.`,
  )

/**
 * Opens an upload for reading within limits. The declared length is checked at once, the actual one while decoding: a small
 * file can encode hours.
 */
export const ingestAudio = async (source: ByteSource, limits: AudioLimits = audioLimits): Promise<Ingested> => {
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
  const mixdown = createMixdown(audio)
  const passing: Passing = { sampleRate, channels: channels === 1 ? 1 : 2, limits, mixdown }
  return {
    container,
    sampleRate,
    channels: passing.channels,
    blocks: checkedBlocks(audio.blocks, passing),
  }
}
