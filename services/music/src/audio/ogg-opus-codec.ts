import { OggOpusDecoder } from 'ogg-opus-decoder'
import { viewOf } from './byte-source.ts'
import type { Codec } from './codec.ts'
import { createOggCodec } from './ogg-links.ts'

/** The output gain of an Opus stream (RFC 7845, 5.1), which its decoder leaves to the player: 256ths of a decibel, in its first packet. */
const opusGain = (head: Uint8Array): number =>
  head.length < 18 ? 1 : 10 ** (viewOf(head).getInt16(16, true) / 256 / 20)

/** Ogg Opus as a codec that receives whole pages. */
export const createOggOpusCodec = (): Codec => createOggCodec({ create: () => new OggOpusDecoder(), gainOf: opusGain })
