import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type S3Server, startS3Server } from '@trellis/distributed/servers'
import { type FilesLocation, openFiles } from '@trellis/kit/files'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collect } from '../support/collect.ts'
import { type Fault, startFaultyProxy } from '../support/faulty-proxy.ts'
import { s3Command, s3Missing } from '../support/programs.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { filesContract } from './ports/files.ts'
import { filesMemoryContract } from './ports/files-memory.ts'

const MEBIBYTE = 1024 * 1024

const reason = s3Missing ? ` (skipped: ${s3Missing})` : ''

describe.skipIf(s3Missing)(`S3${reason}`, () => {
  let server: S3Server
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>
  let folders = 0
  beforeAll(async () => {
    directory = await temporaryDirectory()
    server = await startS3Server({ executable: s3Command, directory: directory.path })
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await directory[Symbol.asyncDispose]()
  })

  /** A location with a unique prefix in the shared bucket. */
  const location = (more: Partial<FilesLocation> = {}) =>
    ({
      kind: 's3',
      endpoint: server.endpoint,
      region: server.region,
      bucket: server.bucket,
      prefix: `test-${folders++}`,
      accessKeyId: server.accessKeyId,
      secretAccessKey: server.secretAccessKey,
      ...more,
    }) as FilesLocation & { kind: 's3' }

  const behindProxy = async () => {
    const proxy = await startFaultyProxy(server.endpoint)
    const files = await openFiles(location({ endpoint: proxy.url }))
    return { proxy, files }
  }

  /** Fails the first `count` requests that match `kind`. */
  const first = (count: number, kind: RegExp, fault: Fault) => {
    let left = count
    return ({ method, url }: { method?: string | undefined; url?: string | undefined }): Fault =>
      kind.test(`${method} ${url}`) && left-- > 0 ? fault : 'none'
  }

  const contract = async () => {
    const files = await openFiles(location())
    return { files, [Symbol.asyncDispose]: () => files[Symbol.asyncDispose]() }
  }
  filesContract('on S3', contract)
  filesContract('on S3 without whole-object checksums', async () => {
    const files = await openFiles(location({ checksums: false }))
    return { files, [Symbol.asyncDispose]: () => files[Symbol.asyncDispose]() }
  })

  test('installations that share a bucket do not see each other', async () => {
    await using one = await openFiles(location({ prefix: 'one' }))
    await using other = await openFiles(location({ prefix: 'one-more/' }))
    await one.write('a', Buffer.from('x'))
    expect(await collect(other.list(''))).toEqual([])
    expect(await other.stat('a')).toBeUndefined()
    expect((await collect(one.list(''))).map(({ key }) => key)).toEqual(['a'])
  })

  test.each([
    ['a wrong secret key', { secretAccessKey: 'not-the-one' }, 'SignatureDoesNotMatch'],
    ['an unknown access key', { accessKeyId: 'unknown' }, 'does not know the access key'],
    ['a missing bucket', { bucket: 'elsewhere' }, 'NoSuchBucket'],
  ])('%s is reported without revealing secrets', async (_, wrong, code) => {
    const opening = openFiles(location({ ...wrong, sessionToken: undefined } as Partial<FilesLocation>))
    const error = await opening.then(
      () => undefined,
      (thrown: Error & { kind?: string }) => thrown,
    )
    expect(error).toMatchObject({ kind: 'unavailable' })
    expect(error?.message).toContain(code)
    expect(JSON.stringify([error?.message, error?.stack, String(error?.cause)])).not.toContain('not-the-one')
    await using files = await openFiles(location(wrong as Partial<FilesLocation>), { recover: false })
    await expect(files.write('a', Buffer.from('x'))).rejects.toMatchObject({ kind: 'unavailable' })
    await expect(collect(files.read('a'))).rejects.toMatchObject({ kind: 'unavailable' })
    await expect(files.stat('a')).rejects.toMatchObject({ kind: 'unavailable' })
  })

  test.each<[string, Fault]>([
    ['500', { status: 500, body: '<Error><Code>InternalError</Code></Error>' }],
    ['SlowDown', { status: 503, body: '<Error><Code>SlowDown</Code></Error>', headers: { 'retry-after': '0' } }],
    ['429', { status: 429 }],
    ['a broken connection', { breakAfter: 0 }],
    ['a truncated answer', { breakAfter: 200 }],
  ])('every kind of request is retried after %s', async (_, fault) => {
    const { proxy, files } = await behindProxy()
    await using _proxy = proxy
    await using _files = files
    const content = randomBytes(9 * MEBIBYTE)
    const twice = (kind: RegExp) => proxy.fail(first(2, kind, fault))
    for (const kind of [/^POST .*uploads/, /^PUT .*partNumber/, /^POST .*uploadId/]) {
      twice(kind)
      await files.write('a', content)
      expect(Buffer.concat(await collect(files.read('a'))).equals(content)).toBe(true)
    }
    twice(/^PUT/)
    await files.write('small', Buffer.from('small'))
    twice(/^GET/)
    expect(Buffer.concat(await collect(files.read('small'))).toString()).toBe('small')
    twice(/^GET/)
    expect(await collect(files.list(''))).toHaveLength(2)
    twice(/^DELETE/)
    await files.remove('small')
    twice(/^HEAD/)
    expect(await files.stat('small')).toBeUndefined()
  })

  test('a read resumes where its connection broke, without mixing versions', async () => {
    const { proxy, files } = await behindProxy()
    await using _proxy = proxy
    await using _files = files
    const content = randomBytes(6 * MEBIBYTE)
    await files.write('a', content)
    proxy.fail(first(3, /^GET/, { breakAfter: 1.5 * MEBIBYTE }))
    expect(Buffer.concat(await collect(files.read('a'))).equals(content)).toBe(true)
    proxy.fail(first(1, /^GET/, { breakAfter: 1.5 * MEBIBYTE }))
    const reading = (async () => {
      let replaced = false
      for await (const _ of files.read('a')) {
        if (!replaced) await files.write('a', randomBytes(6 * MEBIBYTE))
        replaced = true
      }
    })()
    await expect(reading).rejects.toMatchObject({ kind: 'conflict' })
  })

  test('calls fail as unavailable with Retry-After within bounds while the store is down', async () => {
    const { proxy, files } = await behindProxy()
    await using _proxy = proxy
    await using _files = files
    proxy.fail(() => ({ status: 503 }))
    const began = performance.now()
    const answers = await Promise.allSettled([
      files.write('a', Buffer.from('x')),
      files.readRange('a', { start: 0, end: 1 }),
      files.stat('a'),
      collect(files.list('')),
    ])
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 'rejected', reason: { kind: 'unavailable', retryAfterSeconds: 5 } })
    }
    expect(performance.now() - began).toBeLessThan(30_000)
  })

  test('an error of the content stream is not mistaken for an error of the store', async () => {
    await using files = await openFiles(location())
    async function* reset() {
      yield Buffer.from('half')
      throw Object.assign(new Error('the sender left'), { code: 'ECONNRESET' })
    }
    await expect(files.write('a', reset())).rejects.toThrow('the sender left')
  })

  test('the uploaded parts of a failed write are deleted', async () => {
    const { proxy, files } = await behindProxy()
    await using _proxy = proxy
    await using _files = files
    proxy.fail(({ method, url }) => (/partNumber=2/.test(`${method} ${url}`) ? { status: 400 } : 'none'))
    await expect(files.write('a', randomBytes(20 * MEBIBYTE))).rejects.toMatchObject({ kind: 'upstream_failed' })
    expect(proxy.seen().some((line) => /^DELETE .*uploadId/.test(line))).toBe(true)
    expect(await collect(files.list(''))).toEqual([])
  })

  test('leftovers of a crashed write are deleted on opening once they are a day old', async () => {
    const { proxy, files } = await behindProxy()
    await using _proxy = proxy
    await using _files = files
    const own = location({ endpoint: proxy.url })
    await using crashing = await openFiles(own)
    const abandon = async () => {
      proxy.fail(({ method, url }) => (/^DELETE|partNumber=2/.test(`${method} ${url}`) ? { status: 400 } : 'none'))
      await expect(crashing.write('a', randomBytes(20 * MEBIBYTE))).rejects.toThrow()
      proxy.fail(() => 'none')
    }
    const freed = async (now = Date.now) => {
      const before = proxy.seen().length
      await using opened = await openFiles(own, { now })
      expect(await collect(opened.list(''))).toEqual([])
      return proxy
        .seen()
        .slice(before)
        .filter((line) => line.startsWith('DELETE')).length
    }
    await abandon()
    expect(await freed()).toBe(0)
    expect(await freed(() => Date.now() + 25 * 60 * 60 * 1_000)).toBe(1)
    expect(await freed(() => Date.now() + 25 * 60 * 60 * 1_000)).toBe(0)
  })

  filesMemoryContract(() => openFiles(location()))

  test('a killed store retains all acknowledged writes and nothing of others', async () => {
    const own = await temporaryDirectory()
    await using _own = own
    const mortal = await startS3Server({ executable: s3Command, directory: own.path })
    await using _mortal = mortal
    const { endpoint, accessKeyId, secretAccessKey } = mortal
    await using files = await openFiles(location({ endpoint, accessKeyId, secretAccessKey }))
    const content = randomBytes(12 * MEBIBYTE)
    await files.write('whole.wav', content)
    const midway = Promise.withResolvers<void>()
    const killed = Promise.withResolvers<void>()
    async function* slowly() {
      yield randomBytes(20 * MEBIBYTE)
      midway.resolve()
      await killed.promise
      yield randomBytes(20 * MEBIBYTE)
      throw new Error('never to be whole')
    }
    const writing = files.write('half', slowly())
    writing.catch(() => undefined)
    await midway.promise
    const read: Buffer[] = []
    const reading = (async () => {
      for await (const part of files.read('whole.wav')) {
        read.push(Buffer.from(part))
        if (read.length === 3) {
          await mortal.stop('SIGKILL')
          killed.resolve()
          await sleep(300)
          await mortal.start()
        }
      }
    })()
    await reading
    expect(Buffer.concat(read).equals(content)).toBe(true)
    await expect(writing).rejects.toThrow()
    expect((await collect(files.list(''))).map(({ key }) => key)).toEqual(['whole.wav'])
    expect(Buffer.concat(await collect(files.read('whole.wav'))).equals(content)).toBe(true)
    await files.write('half', content)
    expect((await files.stat('half'))?.size).toBe(content.byteLength)
  })
})
