import { beforeAll, describe, expect, test } from 'vitest'
import { decodeAll, fixture, fixturePiece, likeness } from '../../../test/audio-files.ts'
import { aacEntry, buildMp4, flacInMp4, type Mp4Parts, opusInMp4, packetsOf } from '../../../test/m4a-files.ts'
import { blockLength } from '../pcm.ts'

const frames = 26_461
/** Frames in a block of the FLAC fixture. */
const flacBlock = 4_096
/** Samples that the encoder of the fixture inserts before the first. */
const delay = 1_024
/** The config of the fixture: AAC-LC, 22,050 Hz, stereo. */
const lowComplexity = Uint8Array.of(0x13, 0x90)

const left = (block: readonly Float32Array[]): Float32Array => block[0] ?? new Float32Array()
const levelOf = (samples: Float32Array): number =>
  Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length)

describe('an M4A file', () => {
  let parts: Mp4Parts
  let packets: Uint8Array[]
  beforeAll(async () => {
    ;({ packets } = await packetsOf(fixture('band.m4a')))
    parts = {
      packets,
      entry: aacEntry(lowComplexity),
      scale: 22_050,
      packetDuration: 1_024,
      lastDuration: frames + delay - (packets.length - 1) * 1_024,
      edits: [{ duration: Math.round((frames / 22_050) * 1000), mediaTime: delay }],
    }
  })

  test('with AAC has exactly its original length, and sounds like its source', async () => {
    const audio = await decodeAll(fixture('band.m4a'))
    expect(audio).toMatchObject({ container: 'm4a', sampleRate: 22_050, channels: 2, promisedFrames: frames })
    expect(blockLength(audio.block)).toBe(frames)
    for (const [index, channel] of fixturePiece().entries())
      expect(likeness(audio.block[index] ?? new Float32Array(), channel)).toBeGreaterThan(0.98)
  })

  test('with ALAC is decoded bit-exactly', async () => {
    const { block, sampleRate } = await decodeAll(fixture('band-alac.m4a'))
    expect(sampleRate).toBe(22_050)
    expect(block).toEqual(fixturePiece())
  })

  test.each<[string, Partial<Mp4Parts>]>([
    ['one piece', {}],
    ['fragments', { fragments: { packetsPerFragment: 2, base: 'flag' } }],
  ])('with FLAC in %s is decoded bit-exactly', async (_, variation) => {
    const audio = await decodeAll(flacInMp4(fixture('band.flac'), flacBlock, variation))
    expect(audio).toMatchObject({ container: 'm4a', channelOrder: 'smpte', sampleRate: 22_050, promisedFrames: frames })
    expect(audio.block).toEqual(fixturePiece())
  })

  test.each<[string, Partial<Mp4Parts>]>([
    ['one piece', {}],
    ['fragments', { fragments: { packetsPerFragment: 7, base: 'flag' } }],
    ['one piece without an edit list', { edits: [] }],
  ])('with Opus in %s is decoded to the samples of its Ogg file', async (_, variation) => {
    const { block } = await decodeAll(fixture('band.opus'))
    const audio = await decodeAll(opusInMp4(fixture('band.opus'), blockLength(block), variation))
    expect(audio).toMatchObject({ container: 'm4a', channelOrder: 'vorbis', sampleRate: 48_000, channels: 2 })
    expect(audio.block).toEqual(block)
  })

  test('with Opus is amplified by the gain that its config names', async () => {
    const { block } = await decodeAll(fixture('band.opus'))
    const file = Buffer.from(opusInMp4(fixture('band.opus'), blockLength(block)))
    file.writeInt16BE(-256 * 12, file.indexOf('dOps') + 12)
    const { block: softer } = await decodeAll(file)
    expect((left(softer)[5_000] ?? 0) / (left(block)[5_000] ?? 1)).toBeCloseTo(10 ** (-12 / 20), 5)
  })

  test.each<[string, () => Uint8Array]>([
    ['FLAC', () => flacInMp4(fixture('band.flac'), flacBlock)],
    ['Opus', () => opusInMp4(fixture('band.opus'), 57_603)],
  ])('with a config of %s that is too short is rejected as invalid', async (_, build) => {
    const file = Buffer.from(build())
    for (const type of ['dfLa', 'dOps']) {
      const at = file.indexOf(type)
      if (at >= 0) file.writeUInt32BE(12, at - 4)
    }
    await expect(decodeAll(file)).rejects.toMatchObject({
      reason: 'invalid',
      message: expect.stringMatching(/config/),
    })
  })

  test.each<[string, () => Uint8Array, string]>([
    ['FLAC', () => flacInMp4(fixture('band.flac'), flacBlock), 'dfLa'],
    ['Opus', () => opusInMp4(fixture('band.opus'), 57_603), 'dOps'],
  ])('with other channels than the config of %s declares is rejected as invalid', async (_, build, type) => {
    const file = Buffer.from(build())
    const at = file.indexOf(type) + 4
    // Mono: three bits of STREAMINFO, or a byte of the config of Opus.
    if (type === 'dfLa') file[at + 20] = (file[at + 20] ?? 0) & ~0x0e
    else file[at + 1] = 200
    await expect(decodeAll(file)).rejects.toMatchObject({ name: 'AudioRefused', reason: 'invalid' })
  })

  test('with bands of noise has their level', async () => {
    const { block } = await decodeAll(fixture('noise.m4a'))
    expect(blockLength(block)).toBe(33_075)
    // The reference decoder's level; the noise itself is random.
    expect(levelOf(left(block))).toBeCloseTo(0.12641, 4)
  })

  test.each<[string, Partial<Mp4Parts>]>([
    ['its index at the end', {}],
    ['its index first', { isFast: true }],
    ['offsets of 64 bits', { longOffsets: true }],
    ['compact sizes', { compactSizes: true }],
    ['one packet in each chunk', { packetsPerChunk: 1 }],
    ['the form of QuickTime', { entry: aacEntry(lowComplexity, { quickTime: true }) }],
    ['an edit list in samples', { movieScale: 22_050, edits: [{ duration: frames, mediaTime: delay }] }],
    [
      'an empty edit first',
      {
        edits: [
          { duration: 50, mediaTime: -1 },
          { duration: 1200, mediaTime: delay },
        ],
      },
    ],
    ['fragments', { fragments: { packetsPerFragment: 4, base: 'flag' } }],
    ['fragments of one packet', { fragments: { packetsPerFragment: 1, base: 'standard' } }],
    ['fragments at positions of the file', { fragments: { packetsPerFragment: 5, base: 'file' } }],
    ['two runs in a fragment', { fragments: { packetsPerFragment: 6, base: 'flag', hasTwoRuns: true } }],
    ['fragments of two tracks', { fragments: { packetsPerFragment: 6, base: 'standard', hasOtherTrack: true } }],
    [
      'an edit list without a duration in fragments',
      { fragments: { packetsPerFragment: 4, base: 'flag' }, edits: [{ duration: 0, mediaTime: delay }] },
    ],
    ['the length in a comment', { edits: [], comment: ' 00000000 00000400 00000123 000000000000675D 00000000' }],
    ['an edit list and a comment', { comment: ' 00000000 00000400 00000123 000000000000675D 00000000' }],
  ])('with %s is decoded to the same samples', async (_, variation) => {
    const { block } = await decodeAll(buildMp4({ ...parts, ...variation }))
    const expected = await decodeAll(fixture('band.m4a'))
    expect(blockLength(block)).toBe(frames)
    expect(block).toEqual(expected.block)
  })

  test('without an edit list begins with the delay of its encoder', async () => {
    const { block } = await decodeAll(buildMp4({ ...parts, edits: [] }))
    const expected = await decodeAll(fixture('band.m4a'))
    expect(blockLength(block)).toBe(frames + delay)
    expect(left(block).subarray(delay)).toEqual(left(expected.block))
  })

  test('with sizes and durations as defaults of its fragments is read completely', async () => {
    const [packet = new Uint8Array()] = packets
    const same = Array.from({ length: 12 }, () => packet)
    const fragments = { packetsPerFragment: 4, base: 'flag', hasDefaults: true } as const
    const { block } = await decodeAll(buildMp4({ ...parts, packets: same, edits: [], fragments }))
    expect(blockLength(block)).toBe(12 * 1_024)
  })

  test('that is cut short within a fragment ends there', async () => {
    const whole = buildMp4({ ...parts, fragments: { packetsPerFragment: 4, base: 'flag' } })
    const { block } = await decodeAll(whole.subarray(0, whole.length - 200))
    expect(blockLength(block)).toBeGreaterThan(frames - 3 * 1_024)
    expect(blockLength(block)).toBeLessThan(frames)
  })

  test('with fragments that claim impossible packets is rejected as invalid', async () => {
    const whole = Buffer.from(buildMp4({ ...parts, fragments: { packetsPerFragment: 4, base: 'flag' } }))
    const run = whole.indexOf('trun')
    const [sizes, offset] = [Buffer.from(whole), Buffer.from(whole)]
    sizes.writeUInt32BE(0, run + 20)
    offset.writeInt32BE(-1_000_000, run + 12)
    for (const spoiled of [sizes, offset])
      await expect(decodeAll(spoiled)).rejects.toMatchObject({ name: 'AudioRefused', reason: 'invalid' })
  })

  test('that is cut by its edit list ends with the edit', async () => {
    const { block } = await decodeAll(buildMp4({ ...parts, edits: [{ duration: 500, mediaTime: delay + 2_000 }] }))
    const expected = await decodeAll(fixture('band.m4a'))
    expect(left(block)).toEqual(left(expected.block).subarray(2_000, 2_000 + 11_025))
  })

  test.each<[string, Partial<Mp4Parts>, RegExp]>([
    ['HE-AAC', { entry: aacEntry(Uint8Array.of(0x2b, 0x92, 0x08, 0)) }, /HE-AAC;.* only AAC-LC/],
    ['HE-AAC, declared after the config', { entry: aacEntry(Uint8Array.of(0x13, 0x90, 0x56, 0xe5, 0x98)) }, /HE-AAC/],
    ['HE-AAC v2', { entry: aacEntry(Uint8Array.of(0xeb, 0x8a, 0x08, 0)) }, /HE-AAC v2/],
    // A fill element of one byte that begins a spectral band replication.
    ['HE-AAC that is not declared', { packets: [Uint8Array.of(0xc3, 0xa0, 0x1c)] }, /HE-AAC/],
    ['xHE-AAC', { entry: aacEntry(Uint8Array.of(0xf9, 0x48, 0x60, 0)) }, /xHE-AAC/],
    ['AAC Main', { entry: aacEntry(Uint8Array.of(0x0b, 0x90)) }, /AAC Main/],
    ['MP3', { entry: aacEntry(lowComplexity, { object: 0x6b }) }, /MP3 in MP4/],
    ['encrypted audio', { entry: aacEntry(lowComplexity, { type: 'drms' }) }, /encrypted/],
    ['Dolby Digital', { entry: aacEntry(lowComplexity, { type: 'ac-3' }) }, /Dolby Digital/],
    ['video only', { handler: 'vide' }, /no audio track/],
    [
      'several edits',
      {
        edits: [
          { duration: 100, mediaTime: 0 },
          { duration: 100, mediaTime: 9_000 },
        ],
      },
      /several parts/,
    ],
  ])('with %s is rejected as unsupported, with a sentence', async (_, variation, message) => {
    await expect(decodeAll(buildMp4({ ...parts, ...variation }))).rejects.toMatchObject({
      reason: 'unsupported',
      message: expect.stringMatching(message),
    })
  })

  test.each<[string, (bytes: Uint8Array) => Uint8Array]>([
    ['without its index', (bytes) => bytes.subarray(0, bytes.length - 900)],
    [
      'of zeros in place of its packets',
      (bytes) => Uint8Array.from(bytes, (byte, at) => (at > 200 && at < 7_000 ? 0xff : byte)),
    ],
  ])('%s is rejected as invalid', async (_, spoil) => {
    await expect(decodeAll(spoil(buildMp4(parts)))).rejects.toMatchObject({ name: 'AudioRefused', reason: 'invalid' })
  })

  test('that claims hours of audio in a few packets ends with its packets', async () => {
    const claimed = buildMp4({ ...parts, packetDuration: 2 ** 31, edits: [] })
    const audio = await decodeAll(claimed)
    expect(audio.promisedFrames).toBeGreaterThan(10_000 * 22_050)
    expect(blockLength(audio.block)).toBe(packets.length * 1_024)
  })
  test('whose index repeats the same bytes holds no more packets than its bytes have room for', async () => {
    const [packet = new Uint8Array()] = packets
    const repeated = { packets: Array.from({ length: 3_000 }, () => packet), packetsPerChunk: 1, isOverlapping: true }
    const file = buildMp4({ ...parts, ...repeated, edits: [] })
    const { block } = await decodeAll(file)
    expect(blockLength(block)).toBe(Math.floor(file.length / packet.length) * 1_024)
  })
})
