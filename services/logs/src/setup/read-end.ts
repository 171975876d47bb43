import type { LocalAccess } from '../local-files/local-files.ts'

/**
 * The text at the end of a file; undefined for a file that cannot be read, is no regular file or no text. `open` judges the file that it
 * opened, since the path may lead elsewhere by now.
 */
export const readEnd = async (open: LocalAccess['open'], path: string, bytes: number): Promise<string | undefined> => {
  try {
    await using file = await open(path)
    const { size } = await file.stat()
    const length = Math.min(bytes, size)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length)
    const end = buffer.subarray(0, bytesRead)
    return end.includes(0) ? undefined : end.toString('utf8')
  } catch {
    return undefined
  }
}
