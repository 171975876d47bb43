import { areAlike, type Mp3Header, parseMp3Header } from './mp3-frame.ts'

/** The longest frame of a free format, of 640 kbit/s at 8 kHz. */
const longestFrame = 5_761
/** Frames that must follow each other at one distance: a free format has no other mark. */
const fewestFrames = 4
/** Maximum number of positions that are tried, since each takes a search. */
const mostTries = 64

/** The header at `offset`, if it is one of a free format, which does not name its bit rate. */
const freeHeader = (bytes: Uint8Array, offset: number): Mp3Header | undefined => {
  const header = parseMp3Header(bytes, offset)
  return header?.rate === 0 ? header : undefined
}

/** Whether frames of this length follow each other from `offset` on; some are longer by a byte. */
const followEachOther = (bytes: Uint8Array, offset: number, length: number): boolean => {
  const first = freeHeader(bytes, offset)
  let [at, header, found] = [offset, first, 1]
  for (; first && header && areAlike(first, header) && found < fewestFrames; found++) {
    at += length + header.padding
    header = freeHeader(bytes, at)
  }
  return found === fewestFrames && header !== undefined
}

/** Whether MP3 frames of a free format are among the bytes. */
export const hasFreeFormat = (bytes: Uint8Array): boolean => {
  for (let at = bytes.indexOf(0xff), tries = 0; at >= 0 && tries < mostTries; at = bytes.indexOf(0xff, at + 1)) {
    const header = freeHeader(bytes, at)
    if (!header) continue
    tries += 1
    for (let length = 4 + header.sideInformation; length < longestFrame; length++)
      if (followEachOther(bytes, at, length)) return true
  }
  return false
}
