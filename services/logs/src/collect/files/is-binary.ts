import { open } from 'node:fs/promises'
import { bytesAt, excerptBytes } from './excerpts.ts'

/** Bytes below a space that texts have: bell to carriage return, and escape. */
const isControl = (byte: number) => byte < 7 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32) || byte === 127

/** Whether the first bytes of a file are no text: past a hole at the start, more than a tenth of them are controls that no log has. */
export const looksBinary = (start: Uint8Array): boolean => {
  const first = start.findIndex((byte) => byte !== 0)
  if (first < 0) return false
  const looked = start.subarray(first)
  const controls = looked.reduce((count, byte) => count + (isControl(byte) ? 1 : 0), 0)
  return controls * 10 > looked.length
}

export const isBinaryFile = async (path: string): Promise<boolean> => {
  await using file = await open(path, 'r')
  return looksBinary(await bytesAt(file, 0, excerptBytes))
}
