import { type ByteSource, fourCharacters } from './byte-source.ts'
import type { AudioContainer } from './decoded-audio.ts'
import { findMp3Frame, id3Length } from './mp3-frame.ts'

/** How many bytes (after the tag) are searched for the first MP3 frame. */
const mp3SearchBytes = 65_536

const startsWith = (bytes: Uint8Array, text: string, offset = 0): boolean =>
  bytes.length >= offset + text.length && [...text].every((letter, i) => bytes[offset + i] === letter.charCodeAt(0))

const oggCodecs: readonly (readonly [signature: string, container: AudioContainer])[] = [
  ['\x01vorbis', 'ogg-vorbis'],
  ['OpusHead', 'ogg-opus'],
  ['\x7fFLAC', 'ogg-flac'],
]

/** The codec of the first logical stream: its first packet begins right after the page's segment table. */
const sniffOgg = (head: Uint8Array): AudioContainer | undefined => {
  const packet = 27 + (head[26] ?? 0)
  return oggCodecs.find(([signature]) => startsWith(head, signature, packet))?.[1]
}

/** Signatures of the containers, tested in order on the first bytes of a file. */
const signatures: readonly ((head: Uint8Array) => AudioContainer | undefined)[] = [
  (head) =>
    ['RIFF', 'RIFX', 'RF64', 'BW64'].includes(fourCharacters(head, 0)) && startsWith(head, 'WAVE', 8)
      ? 'wav'
      : undefined,
  (head) => (startsWith(head, 'FORM') && /AIF[FC]/.test(fourCharacters(head, 8)) ? 'aiff' : undefined),
  (head) => (startsWith(head, 'fLaC') ? 'flac' : undefined),
  (head) => (startsWith(head, 'OggS') ? sniffOgg(head) : undefined),
  (head) => (startsWith(head, 'ftyp', 4) ? 'm4a' : undefined),
]

/**
 * Detects the container by content, regardless of the file name, and the start of the audio (after an ID3 tag, which some
 * programs also put before FLAC). Undefined for unknown content.
 */
export const sniffAudio = async (
  source: ByteSource,
): Promise<{ container: AudioContainer; offset: number } | undefined> => {
  const offset = id3Length(await source.read(0, 10))
  const head = await source.read(offset, mp3SearchBytes)
  for (const signature of signatures) {
    const container = signature(head)
    if (container) return { container, offset }
  }
  return findMp3Frame(head, 0) ? { container: 'mp3', offset } : undefined
}
