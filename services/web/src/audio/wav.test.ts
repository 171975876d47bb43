import { expect, test } from 'vitest'
import { readHeader, readSamples } from './wav.ts'

const wav = (samples: readonly number[], channels: number): ArrayBuffer => {
  const data = samples.length * 3
  const view = new DataView(new ArrayBuffer(44 + data))
  const text = (at: number, word: string) => {
    for (const [index, letter] of [...word].entries()) view.setUint8(at + index, letter.charCodeAt(0))
  }
  text(0, 'RIFF')
  text(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(22, channels, true)
  view.setUint32(24, 44_100, true)
  view.setUint16(34, 24, true)
  text(36, 'data')
  view.setUint32(40, data, true)
  samples.forEach((value, index) => {
    view.setUint16(44 + index * 3, value & 0xffff, true)
    view.setInt8(46 + index * 3, value >> 16)
  })
  return view.buffer
}

test('the format is read from the header', () => {
  expect(readHeader(wav([1, 2], 2))).toEqual({
    channels: 2,
    sampleRate: 44_100,
    bytesPerSample: 3,
    dataStart: 44,
    dataBytes: 6,
  })
})

test('24-bit samples keep their sign and are separated by channel', () => {
  const file = wav([8_388_607, -8_388_608, 0, -1], 2)
  const [left, right] = readSamples(file.slice(44), readHeader(file))
  expect(left?.[0]).toBeCloseTo(1, 6)
  expect([...(left ?? [])].slice(1)).toEqual([0])
  expect(right?.[0]).toBe(-1)
  expect(right?.[1]).toBeCloseTo(-1 / 8_388_608, 12)
})

test('what is no WAV file is refused', () => {
  expect(() => readHeader(new ArrayBuffer(44))).toThrow('not a WAV file')
})
