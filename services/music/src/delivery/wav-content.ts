import type { Files } from '@trellis/kit/files'
import type { ByteContent } from '@trellis/kit/rpc'
import { wavLength, wavRange } from '../audio/wav-write.ts'
import type { ChainRow } from '../store/tables.ts'
import { mediaTypes } from './export.ts'

export type StoredWav = {
  readonly chain: Pick<ChainRow, 'sample_rate' | 'channels'>
  readonly frames: number
  /** Key of the stored samples. */
  readonly key: string
  readonly etag: string
}

/** Stored samples as a WAV file, with a generated header. */
export const wavContent = (
  { files }: { readonly files: Files },
  { chain, frames, key, etag }: StoredWav,
): ByteContent => {
  const shape = { sampleRate: chain.sample_rate, channels: chain.channels }
  return {
    mediaType: mediaTypes.wav,
    size: wavLength(shape, frames),
    etag,
    read: (range) => wavRange({ ...shape, frames }, (samples) => files.read(key, samples), range),
  }
}
