import type { LocalAccess } from '../local-files/local-files.ts'

/**
 * The text at the end of a file; undefined for a file that cannot be read, is not a regular file or is not text. `open` checks the opened file,
 * since the path may have changed since it was checked.
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
