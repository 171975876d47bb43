import { open } from 'node:fs/promises'
import { looksBinary } from '../../formats/binary-bytes.ts'
import { bytesAt, excerptBytes } from './excerpts.ts'

export const isBinaryFile = async (path: string): Promise<boolean> => {
  await using file = await open(path, 'r')
  return looksBinary(await bytesAt(file, 0, excerptBytes))
}
