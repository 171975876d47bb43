import { openAiff } from './aiff-read.ts'
import { type ByteSource, bytesFrom } from './byte-source.ts'
import { openCompressed } from './codec-open.ts'
import type { DecodedAudio } from './decoded-audio.ts'
import { openMp4 } from './mp4/mp4-open.ts'
import { AudioRefused } from './refusal.ts'
import { sniffAudio } from './sniff.ts'
import { openWav } from './wav-read.ts'

/** Opens any audio file by its content. Throws AudioRefused if it is not audio, or of an unsupported kind. */
export const openAudio = async (source: ByteSource): Promise<DecodedAudio> => {
  const found = await sniffAudio(source)
  if (!found) {
    throw new AudioRefused(
      'unsupported',
      'The file is not audio of a known kind: send WAV, AIFF, MP3, FLAC, M4A (AAC-LC, ALAC, FLAC, Opus) or Ogg (Vorbis, Opus).',
    )
  }
  // Positions in these formats count from the start of the audio, whatever tag precedes it.
  if (found.container === 'm4a') return openMp4(bytesFrom(source, found.offset))
  if (found.container === 'wav') return openWav(bytesFrom(source, found.offset))
  if (found.container === 'aiff') return openAiff(bytesFrom(source, found.offset))
  return openCompressed(found.container, source, found.offset)
}
