import { describe, expect, test } from 'vitest'
import { bytesOf, chunk, decodeAll, type Field } from '../../test/audio-files.ts'
import { AudioRefused } from './refusal.ts'

/** Left and right values that every layout can represent. */
const LEFT = [0, 0.5, -0.5, -1]
const RIGHT = [0.25, -0.25, 0.75, 0]

type Layout = {
  readonly tag: number
  readonly bits: number
  readonly write: (value: number) => Field
}

const integer = (bits: number): Layout => ({
  tag: 1,
  bits,
  write: (value) => {
    const scaled = Math.round(value * 2 ** (bits - 1))
    const bytes = Buffer.alloc(bits / 8)
    bytes.writeIntLE(Math.max(-(2 ** (bits - 1)), Math.min(2 ** (bits - 1) - 1, scaled)), 0, bits / 8)
    return bytes
  },
})

const layouts: Record<string, Layout> = {
  '8-bit': { tag: 1, bits: 8, write: (value) => ({ u8: Math.min(255, Math.round(value * 128) + 128) }) },
  '16-bit': integer(16),
  '24-bit': integer(24),
  '32-bit': integer(32),
  '32-bit float': { tag: 3, bits: 32, write: (value) => new Uint8Array(Float32Array.of(value).buffer) },
  '64-bit float': { tag: 3, bits: 64, write: (value) => new Uint8Array(Float64Array.of(value).buffer) },
}

const samplesOf = ({ write }: Layout) =>
  bytesOf(true, ...LEFT.flatMap((left, i) => [write(left), write(RIGHT[i] ?? 0)]))

const formatOf = (
  { tag, bits }: Pick<Layout, 'tag' | 'bits'>,
  { channels = 2, align = (channels * bits) / 8 }: { channels?: number; align?: number } = {},
) => bytesOf(true, { u16: tag }, { u16: channels }, { u32: 44_100 }, { u32: 0 }, { u16: align }, { u16: bits })

const riff = (...chunks: Uint8Array[]) => bytesOf(true, 'RIFF', { u32: 0 }, 'WAVE', ...chunks)

const sixteen = layouts['16-bit'] ?? integer(16)
const data16 = chunk(true, 'data', samplesOf(sixteen))
const format16 = chunk(true, 'fmt ', formatOf(sixteen))

const expectPiece = async (bytes: Uint8Array) => {
  const { block, sampleRate, channels } = await decodeAll(bytes)
  expect({ sampleRate, channels }).toEqual({ sampleRate: 44_100, channels: 2 })
  expect(block.map((channel) => [...channel])).toEqual([LEFT, RIGHT])
}

describe('a WAV file', () => {
  test.each(Object.entries(layouts))('of %s samples is read exactly', async (_, layout) => {
    await expectPiece(riff(chunk(true, 'fmt ', formatOf(layout)), chunk(true, 'data', samplesOf(layout))))
  })

  test('may begin with an ID3 tag', async () => {
    const tag = bytesOf(true, 'ID3\x04\0\0\0\0\0\x05', 'title')
    await expectPiece(bytesOf(true, tag, riff(format16, data16)))
  })

  test('may be extensible with any actual format', async () => {
    const layout = layouts['32-bit float'] ?? sixteen
    const format = bytesOf(
      true,
      formatOf({ ...layout, tag: 0xfffe }),
      { u16: 22 },
      { u16: 32 },
      { u32: 3 },
      { u16: 3 },
      '\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71',
    )
    await expectPiece(riff(chunk(true, 'fmt ', format), chunk(true, 'data', samplesOf(layout))))
  })

  test('may contain µ-law and A-law', async () => {
    for (const [tag, silence] of [
      [7, 0xff],
      [6, 0xd5],
    ] as const) {
      const format = formatOf({ tag, bits: 8 }, { channels: 1 })
      const { block } = await decodeAll(
        riff(chunk(true, 'fmt ', format), chunk(true, 'data', Uint8Array.of(silence, 0x80, 0x00))),
      )
      const [samples] = block
      expect(Math.abs(samples?.[0] ?? 1)).toBeLessThan(0.001)
      expect(samples?.[1]).toBeCloseTo(-(samples?.[2] ?? 0), 1)
    }
  })

  test('may have other chunks before and after, of odd lengths', async () => {
    const odd = chunk(true, 'LIST', Buffer.from('abc'))
    await expectPiece(riff(odd, format16, odd, data16, odd))
  })

  test.each(['fmt ', 'data'])('may lack the padding of an odd chunk before %s', async (name) => {
    const odd = chunk(true, 'LIST', Buffer.from('abc')).subarray(0, -1)
    await expectPiece(name === 'fmt ' ? riff(odd, format16, data16) : riff(format16, odd, data16))
  })

  test('may have anything as the padding of an odd chunk', async () => {
    const odd = Buffer.from(chunk(true, 'LIST', Buffer.from('abc')))
    odd[odd.length - 1] = 'x'.charCodeAt(0)
    await expectPiece(riff(odd, format16, odd, data16))
  })

  test('may be an RF64 file with its lengths in a separate chunk', async () => {
    const ds64 = chunk(true, 'ds64', bytesOf(true, { u64: 0 }, { u64: 16 }, { u64: 4 }, { u32: 0 }))
    const data = chunk(true, 'data', samplesOf(sixteen), 0xffffffff)
    await expectPiece(bytesOf(true, 'RF64', { u32: 0xffffffff }, 'WAVE', ds64, format16, data))
  })

  test('may be big-endian', async () => {
    const swapped = Buffer.from(samplesOf(sixteen)).swap16()
    const format = bytesOf(false, { u16: 1 }, { u16: 2 }, { u32: 44_100 }, { u32: 0 }, { u16: 4 }, { u16: 16 })
    await expectPiece(
      bytesOf(false, 'RIFX', { u32: 0 }, 'WAVE', chunk(false, 'fmt ', format), chunk(false, 'data', swapped)),
    )
  })

  test.each([
    ['that was streamed with an unknown length', 0xffffffff],
    ['that was never finished, with a length of 0', 0],
    ['that declares more than it has', 1_000_000],
  ])('%s is read to its end', async (_, length) => {
    await expectPiece(riff(format16, chunk(true, 'data', samplesOf(sixteen), length)))
  })

  test('with a wrong block alignment is read by its bit depth', async () => {
    await expectPiece(riff(chunk(true, 'fmt ', formatOf(sixteen, { align: 0 })), data16))
  })

  test('of 20 bits in 24 is read as 24', async () => {
    const layout = { ...integer(24), bits: 20 }
    await expectPiece(riff(chunk(true, 'fmt ', formatOf(layout, { align: 6 })), chunk(true, 'data', samplesOf(layout))))
  })

  test('has silence in place of values that are not numbers', async () => {
    const layout = layouts['32-bit float'] ?? sixteen
    const samples = new Uint8Array(Float32Array.of(Number.NaN, Number.POSITIVE_INFINITY).buffer)
    const { block } = await decodeAll(
      riff(chunk(true, 'fmt ', formatOf(layout, { channels: 1 })), chunk(true, 'data', samples)),
    )
    expect([...(block[0] ?? [])]).toEqual([0, 0])
  })

  test.each<[string, Uint8Array, AudioRefused['reason']]>([
    ['contains a codec', riff(chunk(true, 'fmt ', formatOf({ tag: 0x55, bits: 16 })), data16), 'unsupported'],
    ['has samples of an odd size', riff(chunk(true, 'fmt ', formatOf({ tag: 1, bits: 48 })), data16), 'unsupported'],
    ['has no channels', riff(chunk(true, 'fmt ', formatOf(sixteen, { channels: 0, align: 4 })), data16), 'invalid'],
    ['has no format', riff(data16), 'invalid'],
    ['has no data', riff(format16), 'invalid'],
    ['has a format that is truncated', riff(chunk(true, 'fmt ', Buffer.alloc(10)), data16), 'invalid'],
    [
      'has endless chunks',
      riff(...Array.from({ length: 2000 }, () => chunk(true, 'junk', Buffer.alloc(0)))),
      'invalid',
    ],
    ['ends after its name', riff(), 'invalid'],
  ])('that %s is rejected', async (_, bytes, reason) => {
    const refused = await decodeAll(bytes).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(AudioRefused)
    expect(refused).toMatchObject({ reason })
  })
})
