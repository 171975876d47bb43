import { type ByteSource, fourCharacters } from './byte-source.ts'
import type { AudioContainer } from './decoded-audio.ts'
import { findMp3Frame, id3Length } from './mp3-frame.ts'
import { hasFreeFormat } from './mp3-free-format.ts'
import { sniffOgg } from './ogg-streams.ts'
import { AudioRefused } from './refusal.ts'

/** How many bytes (after the tag) are searched for the first MP3 frame. */
const mp3SearchBytes = 65_536

const startsWith = (bytes: Uint8Array, text: string, offset = 0): boolean =>
  bytes.length >= offset + text.length && [...text].every((letter, i) => bytes[offset + i] === letter.charCodeAt(0))

/** Maximum number of ID3 tags before the audio: some programs add one to the one that is there. */
const mostTags = 8

/** The end of the ID3 tags at the beginning of a file. */
const afterTags = async (source: ByteSource): Promise<number> => {
  let offset = 0
  for (let tag = 0; tag < mostTags; tag++) {
    const length = id3Length(await source.read(offset, 10))
    if (length === 0) break
    offset += length
  }
  return offset
}

/** Signatures of the containers, tested in order on the first bytes of a file. */
const signatures: readonly ((head: Uint8Array) => AudioContainer | undefined)[] = [
  (head) =>
    ['RIFF', 'RIFX', 'RF64', 'BW64'].includes(fourCharacters(head, 0)) && startsWith(head, 'WAVE', 8)
      ? 'wav'
      : undefined,
  (head) => (startsWith(head, 'FORM') && /AIF[FC]/.test(fourCharacters(head, 8)) ? 'aiff' : undefined),
  (head) => (startsWith(head, 'fLaC') ? 'flac' : undefined),
  sniffOgg,
  (head) => (startsWith(head, 'ftyp', 4) ? 'm4a' : undefined),
]

/**
 * Detects the container by content, regardless of the file name, and the start of the audio (after an ID3 tag, which some
 * programs also put before FLAC). Undefined for unknown content. Throws AudioRefused for a kind of MP3 that is not read.
 */
export const sniffAudio = async (
  source: ByteSource,
): Promise<{ container: AudioContainer; offset: number } | undefined> => {
  const offset = await afterTags(source)
  const head = await source.read(offset, mp3SearchBytes)
  for (const signature of signatures) {
    const container = signature(head)
    if (container) return { container, offset }
  }
  if (findMp3Frame(head, 0)) return { container: 'mp3', offset }
  if (hasFreeFormat(head))
    throw new AudioRefused(
      'unsupported',
      'The MP3 file has a free bit rate, which is not read: convert it to a usual one, FLAC or WAV.',
    )
  return undefined
}
