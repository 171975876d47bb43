import { existsSync } from 'node:fs'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wavOf } from '../test/audio-files.ts'
import { formatSamples } from '../test/audio-formats.ts'
import { local, nodeOf, type OpenService, openService, settled, upload } from '../test/open-service.ts'

const sampleRate = 22_050
const stack = new AsyncDisposableStack()
let service: OpenService
let database = ''
beforeAll(async () => {
  const { path } = stack.use(await temporaryDirectory())
  // The module was imported before.
  database = `${path}/new/chains.sqlite3`
  service = stack.use(
    await openService(path, { MUSIC_MAX_UPLOAD_MB: '1', MUSIC_MAX_SECONDS: '3', MUSIC_DB_PATH: database }),
  )
})
afterAll(() => stack.disposeAsync())

/** A tone of a length and rate. */
const tone = (seconds: number, rate = sampleRate, channels = 1) =>
  wavOf(
    Array.from({ length: channels }, () =>
      Float32Array.from({ length: Math.round(seconds * rate) }, (_, frame) => Math.sin(frame / 20) / 4),
    ),
    rate,
  )

describe('an upload', () => {
  const short = formatSamples.filter(({ name }) => name !== 'longer Ogg Vorbis')
  test.each(short)(
    'of $name becomes a chain whatever its name claims, with its rate and channels',
    async ({ make }) => {
      const chain = await upload(service, await make(), { filename: 'notes.txt' })
      expect(chain).toMatchObject({
        name: 'notes',
        channels: expect.toBeOneOf([1, 2]),
        nodes: [{ kind: 'NODE_KIND_UPLOAD' }],
      })
      expect(chain.sampleRate).toBeGreaterThanOrEqual(sampleRate)
      expect(chain.nodes[0]?.durationSeconds).toBeGreaterThan(1)
    },
  )

  test.each<[string, () => Promise<Uint8Array>, number, RegExp]>([
    ['more than MUSIC_MAX_UPLOAD_MB', () => tone(2.5, 96_000, 2), 413, /larger than 1 MB/],
    ['more than MUSIC_MAX_SECONDS', () => tone(3.1), 422, /longer than 3 s: cut it/],
    ['less than a second', () => tone(0.9), 422, /shorter than 1 s/],
    ['a rate below 8 kHz', () => tone(1.5, 7_999), 422, /must be 8000 to 192000 Hz/],
    ['a rate above 192 kHz', () => tone(1.1, 192_001), 422, /must be 8000 to 192000 Hz/],
  ])('with %s is rejected with a sentence', async (_, make, status, sentence) => {
    await expect(upload(service, await make())).rejects.toMatchObject({
      status,
      message: expect.stringMatching(sentence),
    })
  })

  test('of six channels is mixed down to two', async () => {
    expect(await upload(service, await tone(1, 8_000, 6))).toMatchObject({ sampleRate: 8_000, channels: 2 })
  })

  test('with a name of more than 200 characters is rejected', async () => {
    await expect(upload(service, await tone(1), { name: '🎺'.repeat(201) })).rejects.toMatchObject({ status: 422 })
    expect(await upload(service, await tone(1), { name: '🎺'.repeat(200) })).toMatchObject({ name: '🎺'.repeat(200) })
  })

  test('without a name is named after its file, by at most 200 characters', async () => {
    const filename = `a${'🎺'.repeat(300)}.wav`
    expect(await upload(service, await tone(1), { filename })).toMatchObject({ name: `a${'🎺'.repeat(199)}` })
  })
})

test('MUSIC_DB_PATH and the data directory are read at the start, not when the module is imported', () => {
  expect(existsSync(database)).toBe(true)
})

test('a branch has by default one take of 10 s, a random seed and the whole path as context', async () => {
  const { chainId, rootNodeId: nodeId } = await upload(service, await tone(2))
  const { client } = service
  const [one, two] = await Promise.all(
    [1, 2].map(() => client.createBranches({ chainId, nodeId, generator: 'GENERATOR_MOCK' }, { caller: local })),
  )
  const chain = await settled(service, chainId)
  expect([one?.nodes.length, two?.nodes.length]).toEqual([1, 1])
  const [first, second] = [one, two].map((made) => nodeOf(chain, made?.nodes[0]?.nodeId))
  expect(first).toMatchObject({
    status: 'NODE_STATUS_READY',
    durationSeconds: 10,
    prompt: '',
    contextSeconds: undefined,
  })
  expect(first?.seed).not.toBe(second?.seed)
})
