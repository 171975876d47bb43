import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { startNatsServer } from '@trellis/distributed/servers'
import { openFiles } from '@trellis/kit/files'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { collect } from '../support/collect.ts'
import { natsCommand, natsMissing } from '../support/programs.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { filesContract } from './ports/files.ts'
import { filesMemoryContract } from './ports/files-memory.ts'

const MEBIBYTE = 1024 * 1024

const reason = natsMissing ? ` (skipped: ${natsMissing})` : ''

const startServer = async (directory: string, configuration = '') => {
  const server = await startNatsServer({ command: natsCommand, directory, configuration })
  return { ...server, url: `nats://${server.address}` }
}

describe.skipIf(natsMissing)(`NATS${reason}`, () => {
  let server: Awaited<ReturnType<typeof startServer>>
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>
  let buckets = 0
  beforeAll(async () => {
    directory = await temporaryDirectory()
    server = await startServer(directory.path)
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await directory[Symbol.asyncDispose]()
  })

  const location = (more: object = {}) => ({
    kind: 'nats' as const,
    servers: [server.url],
    bucket: `bucket-${buckets++}`,
    ...more,
  })

  /** Number of messages in a bucket's stream by subject, without the common prefix. */
  const subjectsOf = async (bucket: string): Promise<Record<string, number>> => {
    const connection = await connect({ servers: server.url })
    try {
      const manager = await jetstreamManager(connection)
      const { state } = await manager.streams.info(`trellis_files_${bucket}`, { subjects_filter: '>' })
      const root = `trellis.files.${bucket}.`
      return Object.fromEntries(
        Object.entries(state.subjects ?? {}).map(([subject, count]) => [subject.slice(root.length), count]),
      )
    } finally {
      await connection.close()
    }
  }

  filesContract('on NATS', async () => {
    const files = await openFiles(location())
    return { files, [Symbol.asyncDispose]: () => files[Symbol.asyncDispose]() }
  })

  test('only the last version of a file is stored, and nothing of removed files', async () => {
    const bucket = location()
    await using files = await openFiles(bucket)
    for (let i = 0; i < 5; i++) await files.write('a/b.wav', randomBytes(MEBIBYTE))
    await Promise.all(Array.from({ length: 5 }, () => files.write('a/b.wav', randomBytes(MEBIBYTE))))
    await files.write('c', Buffer.from('x'))
    await files.remove('c')
    const subjects = await subjectsOf(bucket.bucket)
    expect(Object.entries(subjects).map(([name, count]) => [name.replace(/[0-9a-f-]{36}$/, 'ID'), count])).toEqual(
      expect.arrayContaining([
        ['content.a.ID', 8],
        ['key.a.b~wav', 1],
      ]),
    )
    expect(Object.keys(subjects)).toHaveLength(2)
  })

  test('leftovers of crashed writes and removals are deleted on opening once they are a day old', async () => {
    const bucket = location()
    await using files = await openFiles(bucket)
    await files.write('whole', randomBytes(MEBIBYTE))
    const [whole = ''] = Object.keys(await subjectsOf(bucket.bucket)).filter((name) => name.startsWith('content.'))
    const connection = await connect({ servers: server.url })
    const publish = (name: string, data: string) =>
      jetstream(connection).publish(`trellis.files.${bucket.bucket}.${name}`, data)
    // Leftovers of a writer killed before its manifest, and of one killed between its manifest and the end of its intent.
    await publish('intent.lost', 'half')
    await publish('content.lost', 'half of it')
    await publish(whole.replace('content', 'intent'), 'whole')
    await connection.close()
    await (await openFiles(bucket))[Symbol.asyncDispose]()
    expect(Object.keys(await subjectsOf(bucket.bucket))).toHaveLength(5)
    await (await openFiles(bucket, { now: () => Date.now() + 25 * 60 * 60 * 1_000 }))[Symbol.asyncDispose]()
    expect(Object.keys(await subjectsOf(bucket.bucket)).toSorted()).toEqual([whole, 'key.whole'])
    expect((await files.readRange('whole', { start: 0, end: 2 * MEBIBYTE })).byteLength).toBe(MEBIBYTE)
  })

  test('a stream of an earlier version stays readable, and an hour after the start no message in it may replace others', async () => {
    const bucket = location()
    const name = `trellis_files_${bucket.bucket}`
    const root = `trellis.files.${bucket.bucket}`
    await using connection = {
      nats: await connect({ servers: server.url }),
      [Symbol.asyncDispose]: () => connection.nats.close(),
    }
    const { streams } = await jetstreamManager(connection.nats)
    await streams.add({ name, subjects: [`${root}.>`], allow_direct: true, allow_rollup_hdrs: true })
    const digest = createHash('sha256').update('old').digest('hex')
    const putWithoutFolder = async (key: string, id: string) => {
      const { seq } = await jetstream(connection.nats).publish(`${root}.content.${id}`, 'old')
      const manifest = { id, size: 3, chunkBytes: 9, digest, runs: [[seq, 1]] }
      await jetstream(connection.nats).publish(`${root}.key.music.${key}`, JSON.stringify(manifest))
    }
    for (const key of ['read', 'replaced', 'removed']) await putWithoutFolder(key, `id-${key}`)
    const opened = async () => {
      vi.useFakeTimers({ toFake: ['setInterval'] })
      try {
        return await openFiles(bucket)
      } finally {
        vi.advanceTimersByTime(60 * 60 * 1_000)
        vi.useRealTimers()
      }
    }
    await using files = await opened()
    await expect.poll(async () => (await streams.info(name)).config.allow_rollup_hdrs ?? false).toBe(false)
    await files.write('music/replaced', Buffer.from('new'))
    await files.remove('music/removed')
    const text = async (key: string) => Buffer.from(await files.readRange(key, { start: 0, end: 9 })).toString()
    expect([await text('music/read'), await text('music/replaced')]).toEqual(['old', 'new'])
    expect((await collect(files.list('music/'))).map(({ key }) => key)).toEqual(['music/read', 'music/replaced'])
    const left = Object.keys(await subjectsOf(bucket.bucket)).map((subject) => subject.replace(/[0-9a-f-]{36}$/, 'ID'))
    expect(left.toSorted()).toEqual(['content.id-read', 'content.music.ID', 'key.music.read', 'key.music.replaced'])
    await putWithoutFolder('late', 'id-late')
    await expect(text('music/late')).rejects.toMatchObject({ kind: 'upstream_failed' })
  })

  test('concurrently written files are read correctly, in any range', async () => {
    await using files = await openFiles(location())
    const contents = Array.from({ length: 4 }, () => randomBytes(5 * MEBIBYTE + 12_345))
    await Promise.all(contents.map((content, i) => files.write(`file-${i}`, content)))
    for (const [i, content] of contents.entries()) {
      for (const [start, end] of [
        [0, 1],
        [131_071, 131_073],
        [1_000_000, 3_000_000],
        [5 * MEBIBYTE, 6 * MEBIBYTE],
      ] as const) {
        const read = await files.readRange(`file-${i}`, { start, end })
        expect(Buffer.from(read).equals(content.subarray(start, end))).toBe(true)
      }
    }
  })

  test('a read overtaken by a replacement fails with a conflict instead of mixing versions', async () => {
    await using files = await openFiles(location())
    await files.write('a', randomBytes(8 * MEBIBYTE))
    const reading = (async () => {
      let replaced = false
      for await (const _ of files.read('a')) {
        if (!replaced) await files.write('a', randomBytes(8 * MEBIBYTE))
        replaced = true
      }
    })()
    await expect(reading).rejects.toMatchObject({ kind: 'conflict' })
  })

  filesMemoryContract(() => openFiles(location()))

  test('a killed server retains all acknowledged writes and nothing of others', async () => {
    await using own = await temporaryDirectory()
    await using mortal = await startServer(own.path)
    await using files = await openFiles({ ...location(), servers: [mortal.url] })
    const content = randomBytes(12 * MEBIBYTE)
    await files.write('whole.wav', content)
    const midway = Promise.withResolvers<void>()
    const killed = Promise.withResolvers<void>()
    async function* slowly() {
      yield randomBytes(4 * MEBIBYTE)
      midway.resolve()
      await killed.promise
      yield randomBytes(4 * MEBIBYTE)
      throw new Error('never to be whole')
    }
    const writing = files.write('half', slowly())
    writing.catch(() => undefined)
    await midway.promise
    const read: Buffer[] = []
    for await (const part of files.read('whole.wav')) {
      read.push(Buffer.from(part))
      if (read.length === 3) {
        await mortal.stop('SIGKILL')
        killed.resolve()
        await sleep(300)
        await mortal.start()
      }
    }
    expect(Buffer.concat(read).equals(content)).toBe(true)
    await expect(writing).rejects.toThrow('never to be whole')
    expect((await collect(files.list(''))).map(({ key }) => key)).toEqual(['whole.wav'])
    expect(Buffer.concat(await collect(files.read('whole.wav'))).equals(content)).toBe(true)
    await files.write('half', content)
    expect((await files.stat('half'))?.size).toBe(content.byteLength)
  })

  test('calls fail as unavailable with Retry-After within bounds while the server is down', async () => {
    await using own = await temporaryDirectory()
    await using mortal = await startServer(own.path)
    await using files = await openFiles({ ...location(), servers: [mortal.url] })
    await files.write('a', Buffer.from('x'))
    await mortal.stop('SIGKILL')
    const began = performance.now()
    const answers = await Promise.allSettled([
      files.write('a', Buffer.from('y')),
      files.readRange('a', { start: 0, end: 1 }),
      files.stat('a'),
      collect(files.list('')),
      files.remove('a'),
      openFiles({ ...location(), servers: [mortal.url] }),
    ])
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 'rejected', reason: { kind: 'unavailable', retryAfterSeconds: 5 } })
    }
    expect(performance.now() - began).toBeLessThan(60_000)
    await mortal.start()
    expect(Buffer.from(await files.readRange('a', { start: 0, end: 1 })).toString()).toBe('x')
  })

  test('an error about wrong credentials does not contain them', async () => {
    await using own = await temporaryDirectory()
    await using guarded = await startServer(own.path, 'authorization { user: trellis, password: right }')
    const bucket = { ...location(), servers: [guarded.url], user: 'trellis' }
    await using files = await openFiles({ ...bucket, password: 'right' })
    await files.write('a', Buffer.from('x'))
    const error = await openFiles({ ...bucket, password: 'wrong-word' }).catch((thrown: Error) => thrown)
    expect(error).toMatchObject({ kind: 'unavailable' })
    expect(String(error)).toContain('rejects the credentials')
    expect(`${error} ${(error as Error).cause}`).not.toContain('wrong-word')
  })
})
