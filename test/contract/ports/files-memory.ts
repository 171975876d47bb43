import { randomBytes } from 'node:crypto'
import type { OpenedFiles } from '@trellis/kit/files'
import { expect, test } from 'vitest'

const MEBIBYTE = 1024 * 1024

/** The contract of remote stores: content of any length is streamed, not buffered in memory. */
export const filesMemoryContract = (open: () => Promise<OpenedFiles>): void => {
  test('memory stays bounded for content of any length', async () => {
    await using files = await open()
    const piece = randomBytes(MEBIBYTE)
    // Exceeds the allowed growth by far more than memory usage fluctuates.
    const mebibytes = 200
    let highest = 0
    const watch = () => {
      highest = Math.max(highest, process.memoryUsage().rss)
    }
    async function* long() {
      for (let i = 0; i < mebibytes; i++) {
        watch()
        yield piece
      }
    }
    const before = process.memoryUsage().rss
    expect(await files.write('long', long())).toEqual({ size: mebibytes * MEBIBYTE })
    let read = 0
    for await (const part of files.read('long')) {
      watch()
      read += part.byteLength
    }
    expect(read).toBe(mebibytes * MEBIBYTE)
    expect(highest - before).toBeLessThan(120 * MEBIBYTE)
    await files.remove('long')
  })
}
