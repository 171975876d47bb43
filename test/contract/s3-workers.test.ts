import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type S3Server, startS3Server } from '@trellis/distributed/servers'
import { type Files, type FilesLocation, openFiles } from '@trellis/kit/files'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkLocation } from '../../services/kit/src/files/location.ts'
import { createS3Client, type S3Client } from '../../services/kit/src/files/s3/client.ts'
import { discard } from '../../services/kit/src/files/s3/exchange.ts'
import { s3Command, s3Missing } from '../support/programs.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const stored = {
  'logs/segment': 'lines',
  'music/nodes/a/samples.s24le': 'samples',
  'music/inputs/song.wav': 'song',
}

describe.skipIf(s3Missing !== undefined)(`audio workers on S3${s3Missing ? ` (skipped: ${s3Missing})` : ''}`, () => {
  const opened = new AsyncDisposableStack()
  let server: S3Server
  let owner: Files
  let worker: Files
  let client: S3Client
  const locationOf = (keys: { accessKeyId: string; secretAccessKey: string }) =>
    ({
      kind: 's3',
      ...{ endpoint: server.endpoint, bucket: server.bucket, region: server.region },
      ...{ accessKeyId: keys.accessKeyId, secretAccessKey: keys.secretAccessKey },
    }) satisfies FilesLocation
  const textOf = async (files: Files, key: string) =>
    Buffer.from(await files.readRange(key, { start: 0, end: 99 })).toString()

  beforeAll(async () => {
    const { path } = opened.use(await temporaryDirectory())
    server = opened.use(await startS3Server({ executable: s3Command, directory: join(path, 's3') }))
    owner = opened.use(await openFiles(locationOf(server)))
    worker = opened.use(await openFiles(locationOf(server.workers), { recover: false }))
    const location = checkLocation(locationOf(server.workers))
    if (location.kind !== 's3') throw new TypeError('The location is that of an S3 store.')
    client = createS3Client(location)
    opened.defer(() => client.close())
    for (const [key, text] of Object.entries(stored)) await owner.write(key, Buffer.from(text))
  })
  afterAll(() => opened.disposeAsync())

  test('read audio and inputs, and report a missing file as missing', async () => {
    expect(await textOf(worker, 'music/nodes/a/samples.s24le')).toBe('samples')
    expect(await textOf(worker, 'music/inputs/song.wav')).toBe('song')
    expect(await worker.stat('music/nodes/a/features')).toBeUndefined()
  })

  test('write nodes and downloads of any size, and replace what an earlier attempt wrote', async () => {
    await worker.write('music/nodes/b/samples.s24le', Buffer.from('first'))
    await worker.write('music/nodes/b/samples.s24le', Buffer.from('second'))
    expect(await textOf(owner, 'music/nodes/b/samples.s24le')).toBe('second')
    await worker.write('music/delivery/a/digest/audio.wav', Buffer.alloc(20_000_000))
    expect(await owner.stat('music/delivery/a/digest/audio.wav')).toMatchObject({ size: 20_000_000 })
  })

  test('delete nothing, write nowhere else, and read no other files', async () => {
    const refused = /AccessDenied/
    for (const key of Object.keys(stored)) await expect(worker.remove(key)).rejects.toThrow(refused)
    for (const key of ['logs/segment', 'logs/new', 'music/inputs/song.wav', 'music/new'])
      await expect(worker.write(key, Buffer.from('forged'))).rejects.toThrow(refused)
    await expect(textOf(worker, 'logs/segment')).rejects.toThrow(refused)
    for (const [key, text] of Object.entries(stored)) expect(await textOf(owner, key)).toBe(text)
  })

  test('cannot change their rights, delete the bucket, or obtain a file by copying it', async () => {
    const everything = { Effect: 'Allow', Principal: '*', Action: 's3:*', Resource: 'arn:aws:s3:::trellis/*' }
    const policy = Buffer.from(JSON.stringify({ Version: '2012-10-17', Statement: [everything] }))
    const copied = 'music/nodes/c/samples.s24le'
    const attempts = [
      () => client.send({ method: 'PUT', query: { policy: '' }, body: policy }),
      () => client.send({ method: 'DELETE', query: { policy: '' } }),
      () => client.send({ method: 'PUT', query: { acl: '' }, headers: { 'x-amz-acl': 'public-read-write' } }),
      () => client.send({ method: 'DELETE' }),
    ]
    for (const attempt of attempts) await expect(attempt()).rejects.toThrow('The store answered 403')
    const copy = { 'x-amz-copy-source': `/${server.bucket}/logs/segment` }
    await expect(client.sendOnce({ method: 'PUT', name: copied, headers: copy })).rejects.toThrow('The store answered')
    const names = Object.keys(stored).map((key) => `<Object><Key>${key}</Key></Object>`)
    const body = Buffer.from(`<Delete>${names.join('')}</Delete>`)
    const digest = { 'content-md5': createHash('md5').update(body).digest('base64') }
    // Such an answer is 200, and lists what could not be deleted.
    await client.send({ method: 'POST', query: { delete: '' }, headers: digest, body }).then(discard, () => undefined)
    expect(await owner.stat(copied)).toBeUndefined()
    for (const [key, text] of Object.entries(stored)) expect(await textOf(owner, key)).toBe(text)
    await expect(worker.remove('logs/segment')).rejects.toThrow(/AccessDenied/)
  })
})
