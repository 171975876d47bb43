import { expect, test } from 'vitest'
import { noExcerpt } from './file-position.ts'
import { maxAheadBytes, readPiece } from './read-piece.ts'

test('a run stops reading a file that grows faster than it reads, and the next run continues', async () => {
  const line = Buffer.from('2026-03-01T09:15:00Z INFO on and on\n')
  const stamp = { device: '1', inode: '2', size: 1_000, modified: '1', changed: '1' }
  let size = stamp.size
  const endless = async () => ({
    // Grows whenever it is read.
    read: async (buffer: Uint8Array, position: number) => {
      for (let at = 0; at < buffer.length; at++) buffer[at] = line[(position + at) % line.length] ?? 0
      size = position + 2 * buffer.length
      return buffer.length
    },
    stamp: async () => ({ ...stamp, size }),
    stream: () => {
      throw new Error('It is not packed.')
    },
    [Symbol.asyncDispose]: async () => undefined,
  })
  let bytes = 0
  let last: string | undefined
  for await (const chunk of readPiece({
    path: '/endless.log',
    open: endless,
    position: {
      log: 'endless.log',
      generation: 0,
      path: '/endless.log',
      stamp,
      head: noExcerpt,
      tail: noExcerpt,
      offset: 0,
      line: 1,
      isBinary: false,
    },
    force: false,
    stream: { sourceId: 'endless', format: undefined, zone: undefined, joins: undefined },
    now: Date.now,
    signal: new AbortController().signal,
  })) {
    bytes += chunk.bytes.length
    last = chunk.last
  }
  expect(last).toBe('paused')
  expect(bytes).toBeGreaterThan(maxAheadBytes)
  expect(bytes).toBeLessThan(1.1 * maxAheadBytes)
})
