import { type Codec, type CodecOutput, joinOutputs } from './codec.ts'
import { oggField, oggFlag, oggHeaderBytes, pageLength, segmentsOf } from './ogg-page-header.ts'

/** How the streams of a codec are decoded that an Ogg file has one after the other. */
export type OggLink = {
  readonly create: () => Codec
  /** What the codec receives of a page; default: the page. */
  readonly content?: (page: Uint8Array, data: Uint8Array, isFirst: boolean) => Uint8Array
  /** Factor for the samples of a stream, by the data of its first page. */
  readonly gainOf?: (data: Uint8Array) => number
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
  /** Whether the decoder has received its stream beyond the first page, so that another first page begins another stream. */
  let hasContinued = false

  const flush = async (): Promise<CodecOutput> => (codec.flush ? amplified(await codec.flush(), gain) : joinOutputs([]))

  /** Ends the stream of the decoder, and replaces it; returns the rest of the stream. */
  const restart = async (): Promise<CodecOutput> => {
    const rest = await flush()
    codec.free()
    codec = create()
    await codec.ready
    hasContinued = false
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
      for (let rest = bytes; rest.length > oggHeaderBytes; ) {
        const segments = segmentsOf(rest) ?? new Uint8Array()
        const page = rest.subarray(0, pageLength(segments))
        const data = page.subarray(oggHeaderBytes + segments.length)
        const isFirst = ((page[oggField.flags] ?? 0) & oggFlag.beginsStream) !== 0
        if (isFirst && hasContinued) {
          await decodeContents()
          outputs.push(await restart())
        }
        if (isFirst) gain = gainOf(data)
        else hasContinued = true
        contents.push(content(page, data, isFirst))
        rest = rest.subarray(page.length)
      }
      await decodeContents()
      return joinOutputs(outputs)
    },
  }
}
