import type { Files } from '@trellis/kit/files'
import { describe, expect, test } from 'vitest'
import { collect } from '../../support/collect.ts'

const text = (parts: Uint8Array[]) => Buffer.concat(parts).toString()

async function* chunks(...parts: string[]) {
  for (const part of parts) yield Buffer.from(part)
}

/** The contract of every files store. `open` returns an empty one. */
export const filesContract = (name: string, open: () => Promise<AsyncDisposable & { files: Files }>): void => {
  describe(`the files ${name}`, () => {
    test('content written as bytes or as a stream can be read back', async () => {
      await using opened = await open()
      const { files } = opened
      expect(await files.write('music/a.wav', Buffer.from('hello'))).toEqual({ size: 5 })
      expect(await files.write('music/b.wav', chunks('hel', '', 'lo again'))).toEqual({ size: 11 })
      expect(text(await collect(files.read('music/a.wav')))).toBe('hello')
      expect(text(await collect(files.read('music/b.wav')))).toBe('hello again')
    })

    test('ranges can be read, also past the end', async () => {
      await using opened = await open()
      const { files } = opened
      await files.write('a', Buffer.from('0123456789'))
      expect(text(await collect(files.read('a', { start: 2, end: 5 })))).toBe('234')
      expect(text(await collect(files.read('a', { start: 7 })))).toBe('789')
      expect(text([await files.readRange('a', { start: 8, end: 20 })])).toBe('89')
      expect(text([await files.readRange('a', { start: 20, end: 30 })])).toBe('')
    })

    test('large content is read back completely in several chunks', async () => {
      await using opened = await open()
      const { files } = opened
      const large = Buffer.alloc(3 * 1024 * 1024 + 17, 'trellis ')
      await files.write('large', large)
      const parts = await collect(files.read('large'))
      expect(parts.length).toBeGreaterThan(1)
      expect(Buffer.concat(parts).equals(large)).toBe(true)
      expect(
        Buffer.from(await files.readRange('large', { start: 1_000_000, end: 2_000_000 })).equals(
          large.subarray(1_000_000, 2_000_000),
        ),
      ).toBe(true)
    })

    test('a write replaces the previous content completely', async () => {
      await using opened = await open()
      const { files } = opened
      await files.write('a', Buffer.from('a long first version'))
      await files.write('a', Buffer.from('short'))
      expect(text(await collect(files.read('a')))).toBe('short')
      expect((await files.stat('a'))?.size).toBe(5)
    })

    test('a failed or aborted write leaves the previous content unchanged', async () => {
      await using opened = await open()
      const { files } = opened
      await files.write('a', Buffer.from('first'))
      async function* failing() {
        yield Buffer.from('half')
        throw new Error('the source broke off')
      }
      await expect(files.write('a', failing())).rejects.toThrow('the source broke off')
      await expect(files.write('b', chunks('x'), AbortSignal.abort())).rejects.toThrow()
      expect(text(await collect(files.read('a')))).toBe('first')
      expect(await files.stat('b')).toBeUndefined()
      expect((await collect(files.list(''))).map(({ key }) => key)).toEqual(['a'])
    })

    test('a write whose source stalls ends with its signal and leaves nothing', async () => {
      await using opened = await open()
      const { files } = opened
      const controller = new AbortController()
      async function* silent() {
        yield Buffer.from('first')
        setImmediate(() => controller.abort(new Error('The sender left.')))
        await new Promise(() => undefined)
      }
      await expect(files.write('silent', silent(), controller.signal)).rejects.toThrow('The sender left.')
      expect(await files.stat('silent')).toBeUndefined()
    })

    test('an unknown key is not found, has no stat, and may be removed', async () => {
      await using opened = await open()
      const { files } = opened
      await expect(collect(files.read('nowhere'))).rejects.toMatchObject({ kind: 'not_found' })
      await expect(files.readRange('nowhere', { start: 0, end: 1 })).rejects.toMatchObject({ kind: 'not_found' })
      expect(await files.stat('nowhere')).toBeUndefined()
      await files.remove('nowhere')
    })

    test('files are listed by prefix, without removed ones', async () => {
      await using opened = await open()
      const { files } = opened
      for (const key of ['logs/2/b', 'logs/1/a', 'logs/1/c', 'logs/10/d', 'music/e'])
        await files.write(key, Buffer.from(key))
      const keys = async (prefix: string) => (await collect(files.list(prefix))).map(({ key }) => key)
      expect(await keys('logs/1/')).toEqual(['logs/1/a', 'logs/1/c'])
      expect((await keys('logs/1')).toSorted()).toEqual(['logs/1/a', 'logs/1/c', 'logs/10/d'])
      await files.remove('logs/1/a')
      expect((await keys('')).toSorted()).toEqual(['logs/1/c', 'logs/10/d', 'logs/2/b', 'music/e'])
    })

    test('any number of files is listed in strict key order', async () => {
      await using opened = await open()
      const { files } = opened
      const many = Array.from({ length: 1_100 }, (_, i) => `many/${String(i).padStart(4, '0')}`)
      const keys = ['x/a-b', 'x/a.b', 'x/a/b', 'x/a/B', 'x/A', 'x/a=', 'x/aa', 'x/a0', 'x/_', ...many]
      const waiting = [...keys]
      const writeSome = async () => {
        for (let key = waiting.pop(); key; key = waiting.pop()) await files.write(key, Buffer.from(key))
      }
      await Promise.all(Array.from({ length: 8 }, writeSome))
      const listed = await collect(files.list(''))
      expect(listed.map(({ key }) => key)).toEqual(keys.toSorted())
      expect(listed.every(({ key, size }) => size === key.length)).toBe(true)
      expect(await collect(files.list('x/a/'))).toHaveLength(2)
    })

    test('stat returns the size and the modification time of a file', async () => {
      await using opened = await open()
      const { files } = opened
      await files.write('empty', new Uint8Array(0))
      await files.write('a/b', Buffer.from('12345'))
      expect(await files.stat('empty')).toMatchObject({ key: 'empty', size: 0 })
      expect(await collect(files.read('empty'))).toEqual([])
      const info = await files.stat('a/b')
      expect(info).toMatchObject({ key: 'a/b', size: 5 })
      expect(Math.abs(Date.now() - (info?.modifiedAt.getTime() ?? 0))).toBeLessThan(60_000)
      expect(await files.stat('a')).toBeUndefined()
    })

    test('an empty range is empty for an existing file and not_found for a missing one', async () => {
      await using opened = await open()
      const { files } = opened
      await files.write('a', Buffer.from('0123456789'))
      expect(text(await collect(files.read('a', { start: 4, end: 4 })))).toBe('')
      expect(text([await files.readRange('a', { start: 4, end: 4 })])).toBe('')
      await expect(collect(files.read('b', { start: 4, end: 4 }))).rejects.toMatchObject({ kind: 'not_found' })
    })

    test('a large write that is aborted or whose source fails leaves nothing', async () => {
      await using opened = await open()
      const { files } = opened
      const abort = new AbortController()
      async function* until(bytes: number, then: () => void) {
        for (let sent = 0; ; sent += 1024 * 1024) {
          if (sent >= bytes) then()
          yield Buffer.alloc(1024 * 1024, 'x')
        }
      }
      const breakOff = () => {
        throw new Error('the source broke off')
      }
      await expect(files.write('a', until(20 * 1024 * 1024, breakOff))).rejects.toThrow('the source broke off')
      await expect(
        files.write(
          'b',
          until(20 * 1024 * 1024, () => abort.abort()),
          abort.signal,
        ),
      ).rejects.toThrow()
      expect(await collect(files.list(''))).toEqual([])
    })

    test('a read can be stopped or aborted without affecting others', async () => {
      await using opened = await open()
      const { files } = opened
      const content = Buffer.alloc(9 * 1024 * 1024, 'trellis ')
      await files.write('a', content)
      for await (const part of files.read('a')) {
        expect(part.byteLength).toBeGreaterThan(0)
        break
      }
      const abort = new AbortController()
      const reading = (async () => {
        for await (const part of files.read('a', { start: 0 }, abort.signal)) if (part.byteLength > 0) abort.abort()
      })()
      await expect(reading).rejects.toThrow()
      expect(Buffer.concat(await collect(files.read('a'))).equals(content)).toBe(true)
    })

    test('one of several concurrent writes to a key wins completely', async () => {
      await using opened = await open()
      const { files } = opened
      const contents = Array.from({ length: 6 }, (_, i) => Buffer.alloc(300_000 + i * 100_000, String(i)))
      await Promise.all(contents.map((content) => files.write('a', content)))
      const stored = Buffer.concat(await collect(files.read('a')))
      expect(contents.some((content) => content.equals(stored))).toBe(true)
    })

    test.each(['', '/a', 'a/', '../a', 'a/../b', '.hidden', 'a//b', 'a\\b', 'ä', 'a b', `${'x'.repeat(1_025)}`])(
      'the key %j is refused',
      async (key) => {
        await using opened = await open()
        await expect(opened.files.write(key, Buffer.from('x'))).rejects.toThrow('cannot be the key')
        await expect(collect(opened.files.read(key))).rejects.toThrow('cannot be the key')
      },
    )
  })
}
