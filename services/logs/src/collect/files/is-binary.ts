import { looksBinary } from '../../formats/binary-bytes.ts'
import { bytesAt, excerptBytes, type OpenFile } from './excerpts.ts'

export const isBinaryFile = async (path: string, open: OpenFile): Promise<boolean> => {
  await using file = await open(path)
  return looksBinary(await bytesAt(file, 0, excerptBytes))
}
