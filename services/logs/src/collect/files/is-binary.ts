import { looksBinary } from '../../formats/binary-bytes.ts'
import { bytesAt, excerptBytes } from './excerpts.ts'
import type { OpenFile } from './log-file.ts'
import { encodingBytes, isUtf16 } from './text-encoding.ts'

export const isBinaryFile = async (path: string, open: OpenFile): Promise<boolean> => {
  await using file = await open(path)
  const start = await bytesAt(file, 0, encodingBytes)
  return looksBinary(start.subarray(0, excerptBytes)) && !isUtf16(start)
}
