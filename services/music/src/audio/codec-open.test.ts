import { readFileSync } from 'node:fs'
import { sharedData } from '@trellis/test/support/shared-data'
import { describe, expect, test } from 'vitest'
import { decodeAll, fixture, fixturePiece, likeness } from '../../test/audio-files.ts'
import { constantMp3 } from '../../test/constant-mp3.ts'
import { flacSilence } from '../../test/flac-silence.ts'
import { bytesInMemory } from './byte-source.ts'
import { parseMp3Frame } from './mp3-frame.ts'
import { checksumAt, oggChecksum } from './ogg-checksum.ts'
import { oggField, pageLength, segmentsOf } from './ogg-page-header.ts'
import { openAudio } from './open-audio.ts'
import { blockLength, joinBlocks } from './pcm.ts'
import { resample } from './resample.ts'

const tune = new URL('../../../../docs/examples/tune.ogg', import.meta.url)

/** An Ogg page with one packet. */
const oggPage = (packet: Uint8Array, { serial, flags }: { serial: number; flags: number }): Buffer => {
  const page = Buffer.concat([Buffer.from('OggS'), Buffer.alloc(22), Buffer.of(1, packet.length), packet])
  page[5] = flags
  page.writeUInt32LE(serial, 14)
  return withChecksum(page)
}

const withChecksum = (page: Buffer): Buffer => {
  page.writeUInt32LE(oggChecksum(page), checksumAt)
  return page
}

/** The pages of an Ogg file, as copies. */
const pagesOf = (bytes: Uint8Array): Buffer[] => {
  const pages: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = pageLength(segmentsOf(bytes.subarray(at)) ?? new Uint8Array())
    pages.push(Buffer.from(bytes.subarray(at, at + length)))
    at += length
  }
  return pages
}

/** An Ogg file with another number for its stream. */
const withSerial = (bytes: Uint8Array, serial: number): Buffer =>
  Buffer.concat(
    pagesOf(bytes).map((page) => {
      page.writeUInt32LE(serial, oggField.serial)
      return withChecksum(page)
    }),
  )

describe('compressed files', () => {
  test.each(['band.flac', 'band.oga'])('%s is decoded bit-exactly', async (name) => {
    const { block, sampleRate } = await decodeAll(fixture(name))
    expect(sampleRate).toBe(22_050)
    expect(block).toEqual(fixturePiece())
  })

  test.each([
    ['band.mp3', 'mp3'],
    ['band.ogg', 'ogg-vorbis'],
  ])('%s has exactly its original length, without the padding of its codec', async (name, container) => {
    const audio = await decodeAll(fixture(name))
    expect(audio).toMatchObject({ container, sampleRate: 22_050, channels: 2 })
    expect(blockLength(audio.block)).toBe(26_461)
    const [original] = fixturePiece()
    expect(likeness(audio.block[0] ?? new Float32Array(), original ?? new Float32Array())).toBeGreaterThan(0.98)
  })

  test('an Opus file is decoded at its own 48 kHz, trimmed according to its header', async () => {
    const audio = await decodeAll(fixture('band.opus'))
    expect(audio).toMatchObject({ container: 'ogg-opus', sampleRate: 48_000 })
    const expected = fixturePiece().map((channel) => resample(channel, 22_050, 48_000))
    expect(Math.abs(blockLength(audio.block) - blockLength(expected))).toBeLessThanOrEqual(3)
    expect(likeness(audio.block[0] ?? new Float32Array(), expected[0] ?? new Float32Array())).toBeGreaterThan(0.95)
  })

  test.each([
    ['rate', { namesRate: false, namesDepth: true }],
    ['depth', { namesRate: true, namesDepth: false }],
    ['rate and depth', { namesRate: false, namesDepth: false }],
  ])('FLAC frames without their own %s are decoded with that of the stream header', async (_, headers) => {
    const [inherited, explicit] = [await decodeAll(flacSilence(40, headers)), await decodeAll(flacSilence(40))]
    expect(inherited.sampleRate).toBe(44_100)
    expect(blockLength(inherited.block)).toBeGreaterThan(38 * 32_768)
    expect(inherited.block).toEqual(explicit.block)
  })

  test('the container is detected by content, even after a tag', async () => {
    const tag = Uint8Array.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 5, 1, 2, 3, 4, 5])
    const { container, block } = await decodeAll(Buffer.concat([tag, fixture('band.flac')]))
    expect({ container, frames: blockLength(block) }).toEqual({ container: 'flac', frames: 26_461 })
  })

  test.each(['band.ogg', 'band.oga', 'band.opus'])('%s twice, one after the other, is decoded twice', async (name) => {
    const { block: once } = await decodeAll(fixture(name))
    // Each stream should have its own number, but programs that concatenate files may leave the same one.
    for (const next of [withSerial(fixture(name), 77), fixture(name)]) {
      const { block } = await decodeAll(Buffer.concat([fixture(name), next]))
      expect(block).toEqual(joinBlocks([once, once], once.length))
    }
  })

  test('parts of an Ogg file that differ in their rates are rejected', async () => {
    const parts = Buffer.concat([fixture('band.ogg'), withSerial(readFileSync(tune), 77)])
    await expect(decodeAll(parts)).rejects.toMatchObject({
      reason: 'invalid',
      message: expect.stringMatching(/change/),
    })
  })

  test.each([-10, 6])('an Opus file is amplified by the %d dB that its header names', async (decibels) => {
    const [head = Buffer.alloc(0), ...pages] = pagesOf(fixture('band.opus'))
    const plain = await decodeAll(fixture('band.opus'))
    head.writeInt16LE(256 * decibels, 28 + 16)
    const { block } = await decodeAll(Buffer.concat([withChecksum(head), ...pages]))
    for (const at of [5_000, 20_000])
      expect((block[0]?.[at] ?? 0) / (plain.block[0]?.[at] ?? 1)).toBeCloseTo(10 ** (decibels / 20), 5)
  })

  test.each(['band.ogg', 'band.oga', 'band.opus'])('%s is decoded beside a stream of another kind', async (name) => {
    const pages = pagesOf(fixture(name))
    const other = (flags: number) => oggPage(Buffer.from('\x80theora and more', 'latin1'), { serial: 9, flags })
    const [head = Buffer.alloc(0), ...rest] = pages
    const mixed = Buffer.concat([other(2), head, ...rest.flatMap((page) => [other(0), page]), other(4)])
    expect((await decodeAll(mixed)).block).toEqual((await decodeAll(fixture(name))).block)
  })

  test('of two streams of its kind that begin together, the first is decoded', async () => {
    const [pages, others] = [pagesOf(fixture('band.ogg')), pagesOf(withSerial(fixture('band.ogg'), 77))]
    const mixed = Buffer.concat(pages.flatMap((page, index) => [page, others[index] ?? Buffer.alloc(0)]))
    expect((await decodeAll(mixed)).block).toEqual((await decodeAll(fixture('band.ogg'))).block)
  })

  test('more than a thousand streams of other kinds are rejected', async () => {
    const others = Array.from({ length: 1_001 }, (_, serial) => oggPage(Buffer.from('x'), { serial, flags: 2 }))
    const bytes = Buffer.concat([fixture('band.ogg'), ...others])
    await expect(decodeAll(bytes)).rejects.toMatchObject({ name: 'AudioRefused', reason: 'invalid' })
  })

  test('MP3 may begin with several tags, each longer than what is searched for a frame', async () => {
    const tag = Buffer.alloc(100_000)
    tag.set(Buffer.from('ID3\x04\0\0', 'latin1'))
    const size = tag.length - 10
    tag.set([(size >> 21) & 0x7f, (size >> 14) & 0x7f, (size >> 7) & 0x7f, size & 0x7f], 6)
    const { block } = await decodeAll(Buffer.concat([tag, tag, fixture('band.mp3')]))
    expect(block).toEqual((await decodeAll(fixture('band.mp3'))).block)
  })

  test('MP3 of a free format is rejected with a sentence', async () => {
    const usual = await constantMp3(2)
    const free = Uint8Array.from(usual)
    for (let at = 0; at < free.length; at += parseMp3Frame(usual, at)?.length ?? free.length)
      free[at + 2] = (free[at + 2] ?? 0) & 0x0f
    await expect(decodeAll(free)).rejects.toMatchObject({
      reason: 'unsupported',
      message: expect.stringMatching(/free bit rate/),
    })
  })

  test.each([
    ['text', Buffer.from('This is not audio. '.repeat(500))],
    ['nothing', new Uint8Array(0)],
    ['a picture', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')],
    ['an Ogg file of something else', Buffer.from(`OggS\0\x02${'\0'.repeat(20)}\x01\x1e\x80theora`, 'latin1')],
  ])('%s is rejected as unsupported', async (_, bytes) => {
    await expect(decodeAll(bytes)).rejects.toMatchObject({ reason: 'unsupported' })
  })

  test.each(['band.flac', 'band.oga', 'band.mp3', 'band.ogg', 'band.opus', 'band.m4a', 'band-alac.m4a'])(
    'a truncated or damaged %s is decoded as far as possible, or rejected',
    async (name) => {
      const whole = fixture(name)
      for (const share of [0.02, 0.3, 0.7]) {
        const cut = whole.slice(0, Math.floor(whole.length * share))
        const damaged = Uint8Array.from(whole)
        for (let at = Math.floor(whole.length * share); at < whole.length; at += 97)
          damaged[at] = (damaged[at] ?? 0) ^ 0x5a
        for (const bytes of [cut, damaged]) {
          const outcome = await decodeAll(bytes).then(
            ({ block }) => blockLength(block),
            (error: unknown) => error,
          )
          if (typeof outcome === 'number') expect(outcome).toBeLessThan(1_000_000)
          else expect(outcome).toMatchObject({ name: 'AudioRefused' })
        }
      }
    },
  )

  test('a few bytes that encode hours are decoded in pieces, so that the reader can stop', async () => {
    const bomb = flacSilence(5_000)
    expect(bomb.length).toBeLessThan(70_000)
    const audio = await openAudio(bytesInMemory(bomb))
    let [frames, longest] = [0, 0]
    for await (const block of audio.blocks) {
      frames += blockLength(block)
      longest = Math.max(longest, blockLength(block))
      if (frames > 60 * 44_100) break
    }
    expect(longest).toBeLessThan(8_000_000)
  })

  const recordings = ['brahms-hungarian-dance-5', 'vibe-ace', 'solo-trumpet-90bpm'].map((name) =>
    sharedData('audio', `${name}.ogg`),
  )
  test.skipIf(recordings.some((path) => !path))(
    'third-party recordings are decoded completely (skipped without the shared audio)',
    async () => {
      const seconds = [45.845, 61.459, 5.333]
      for (const [index, path] of recordings.entries()) {
        const { block, sampleRate } = await decodeAll(readFileSync(path ?? ''))
        expect(blockLength(block) / sampleRate).toBeCloseTo(seconds[index] ?? 0, 2)
      }
    },
  )
})
