import { type Block, joinBlocks } from './pcm.ts'
import { invalidAudio } from './refusal.ts'

/** The methods that the decoders of compressed streams share. */
export type Codec = {
  readonly ready: Promise<void>
  free(): void
  decode(bytes: Uint8Array): Promise<CodecOutput> | CodecOutput
  /** What is left at the end of the stream. */
  flush?(): Promise<CodecOutput> | CodecOutput
}

export type CodecOutput = {
  readonly channelData: Float32Array[]
  readonly samplesDecoded: number
  readonly sampleRate: number
}

/** Joins outputs of one shape; those without samples have none. Throws AudioRefused if they have several. */
export const joinOutputs = (outputs: readonly CodecOutput[]): CodecOutput => {
  const [first, ...others] = outputs.filter(({ samplesDecoded }) => samplesDecoded > 0)
  if (!first) return { channelData: [], samplesDecoded: 0, sampleRate: 0 }
  if (others.length === 0) return first
  const { sampleRate, channelData } = first
  if (others.some((other) => other.sampleRate !== sampleRate || other.channelData.length !== channelData.length))
    throw invalidAudio('The sample rate or the channels change within the file.')
  const blocks = [first, ...others].map(
    (output): Block => output.channelData.map((channel) => channel.subarray(0, output.samplesDecoded)),
  )
  const samplesDecoded = outputs.reduce((sum, output) => sum + output.samplesDecoded, 0)
  return { channelData: joinBlocks(blocks, channelData.length), samplesDecoded, sampleRate }
}
