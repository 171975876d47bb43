import type { AudioFormat } from '@trellis/music/local'
import { CommandFailure } from '../failure.ts'

export const formats: readonly AudioFormat[] = ['wav', 'flac', 'mp3']

/** Parses the format of results. Throws CommandFailure. */
export const formatOf = (text = 'wav'): AudioFormat => {
  const format = formats.find((known) => known === text)
  if (format === undefined) throw new CommandFailure(`--format must be ${formats.join(', ')}.`, 2)
  return format
}
