import { expect, test } from 'vitest'
import { maxTextBytes } from './clean.ts'
import { createLineSplitter } from './line-splitter.ts'

const linesOf = (bytes: Uint8Array, chunkBytes: number) => {
  const splitter = createLineSplitter()
  const lines: string[] = []
  const cut: boolean[] = []
  const take = (text: string, isCut: boolean) => {
    lines.push(text)
    cut.push(isCut)
  }
  for (let start = 0; start < bytes.length; start += chunkBytes)
    splitter.push(Uint8Array.from(bytes.subarray(start, start + chunkBytes)), take)
  splitter.end(take)
  return { lines, cut }
}

/** Short ones, empty ones, ones of several bytes a character, and ones longer than what is decoded at once. */
const made = Array.from({ length: 3_000 }, (_, number) =>
  number % 500 === 7
    ? `${number} ${'long '.repeat(10_000)}`
    : number % 11 === 0
      ? ''
      : `${number} größer als 日本 ${'x'.repeat(number % 90)}`,
)

test.each([1_000, 4_096, 32_768, 65_536, 262_144, 10_000_000])(
  'lines are the same however they come, here %i bytes at a time',
  (chunkBytes) => {
    const { lines, cut } = linesOf(Buffer.from(`${made.join('\n')}\nwithout an end`), chunkBytes)
    expect(lines).toEqual([...made, 'without an end'])
    expect(cut).not.toContain(true)
  },
)

test('a line that is too long is cut where a character ends, and the next one is whole', () => {
  const { lines, cut } = linesOf(Buffer.from(`before\n${'ü'.repeat(maxTextBytes)}\nafter\n`), 100_000)
  expect(lines.map((line) => Buffer.byteLength(line))).toEqual([6, maxTextBytes, 5])
  expect(lines[1]).toBe('ü'.repeat(maxTextBytes / 2))
  expect(cut).toEqual([false, true, false])
})
