import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** What the last bytes of a file say; undefined for one that cannot be read, is no file any more, or is no text. */
export const readEnd = async (path: string, bytes: number): Promise<string | undefined> => {
  try {
    // Not through a link, and without waiting for whoever writes to a pipe that has taken the file's place.
    await using file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    const about = await file.stat()
    if (!about.isFile()) return undefined
    const length = Math.min(bytes, about.size)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, about.size - length)
    const end = buffer.subarray(0, bytesRead)
    return end.includes(0) ? undefined : end.toString('utf8')
  } catch {
    return undefined
  }
}
