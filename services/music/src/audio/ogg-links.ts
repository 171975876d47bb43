import type { Codec, CodecOutput } from './codec.ts'
import { oggField, oggFlag, oggHeaderBytes, pageLength, segmentsOf } from './ogg-page-header.ts'
import { type Block, joinBlocks } from './pcm.ts'
import { invalidAudio } from './refusal.ts'

/** How the streams of a codec are decoded that an Ogg file has one after the other. */
export type OggLink = {
  readonly create: () => Codec
  /** What the codec receives of a page; default: the page. */
  readonly content?: (page: Uint8Array, data: Uint8Array, isFirst: boolean) => Uint8Array
  /** Factor for the samples of a stream, by the data of its first page. */
  readonly gainOf?: (data: Uint8Array) => number
}

const nothing: CodecOutput = { channelData: [], samplesDecoded: 0, sampleRate: 0 }

const joined = (outputs: readonly CodecOutput[]): CodecOutput => {
  const [first, ...others] = outputs.filter(({ samplesDecoded }) => samplesDecoded > 0)
  if (!first || others.length === 0) return first ?? nothing
  const { sampleRate, channelData } = first
  if (others.some((other) => other.sampleRate !== sampleRate || other.channelData.length !== channelData.length))
    throw invalidAudio('The sample rate or the channels change within the file.')
  const blocks = [first, ...others].map(
    (output): Block => output.channelData.map((channel) => channel.subarray(0, output.samplesDecoded)),
  )
  const samplesDecoded = outputs.reduce((sum, output) => sum + output.samplesDecoded, 0)
  return { channelData: joinBlocks(blocks, channelData.length), samplesDecoded, sampleRate }
}

const amplified = (output: CodecOutput, gain: number): CodecOutput =>
  gain === 1
    ? output
    : { ...output, channelData: output.channelData.map((channel) => channel.map((value) => value * gain)) }

/**
 * A codec for the pages of an Ogg file, whole ones of one kind of stream. A file may have several streams, one after the other, as
 * radio stations send them; each has its own decoder, since none of them can begin again.
 */
export const createOggCodec = ({ create, content = (page) => page, gainOf = () => 1 }: OggLink): Codec => {
  let codec = create()
  let gain = 1
  let serial: number | undefined

  const flush = async (): Promise<CodecOutput> => (codec.flush ? amplified(await codec.flush(), gain) : nothing)

  /** Ends the stream of the decoder; returns the rest of it. */
  const begin = async (page: Buffer, data: Uint8Array): Promise<CodecOutput> => {
    const isNext = serial !== undefined
    const rest = isNext ? await flush() : nothing
    if (isNext) {
      codec.free()
      codec = create()
      await codec.ready
    }
    serial = page.readUInt32LE(oggField.serial)
    gain = gainOf(data)
    return rest
  }

  return {
    ready: codec.ready,
    free: () => codec.free(),
    flush,
    async decode(bytes) {
      const outputs: CodecOutput[] = []
      let contents: Uint8Array[] = []
      const decodeContents = async () => {
        if (contents.length > 0) outputs.push(amplified(await codec.decode(Buffer.concat(contents)), gain))
        contents = []
      }
      for (let rest = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength); rest.length > oggHeaderBytes; ) {
        const segments = segmentsOf(rest) ?? new Uint8Array()
        const page = rest.subarray(0, pageLength(segments))
        const data = page.subarray(oggHeaderBytes + segments.length)
        const isFirst = ((page[oggField.flags] ?? 0) & oggFlag.beginsStream) !== 0
        if (isFirst && serial !== page.readUInt32LE(oggField.serial)) {
          await decodeContents()
          outputs.push(await begin(page, data))
        }
        contents.push(content(page, data, isFirst))
        rest = rest.subarray(page.length)
      }
      await decodeContents()
      return joined(outputs)
    },
  }
}
