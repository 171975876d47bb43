import { expect, test } from 'vitest'
import { readContainerLines } from './container-lines.ts'

const time = (nanoseconds: number, second = 5) =>
  `2026-03-01T09:15:${String(second).padStart(2, '0')}.${String(nanoseconds).padStart(9, '0')}Z `

const textsOf = async (...written: string[]) => {
  const parts = written.map((text) => ({ kind: 'terminal' as const, bytes: Buffer.from(text) }))
  const read = async function* () {
    yield* parts
  }
  return (await Array.fromAsync(readContainerLines(read()))).map(({ text }) => text)
}

test('times of parts that follow each other closely are removed from a line, at any position', async () => {
  const parts = [
    `${time(355_513_457)}one `,
    `${time(355_608_128)}two`,
    `${time(1_000, 6)} three`,
    `${time(2_000, 6)}\n`,
  ]
  expect(await textsOf(...parts)).toEqual(['one two three'])
  expect(await textsOf(parts.join(''))).toEqual(['one two three'])
})

test.each([
  ['before its line was logged', `took from ${time(100)}on`],
  ['of just when it was logged', `took until ${time(400)}or so`],
  ['long after it', `expires at ${time(400, 7)}at last`],
  ['in whole seconds', 'expires at 2026-03-01T09:15:06Z at last'],
])('a time that a program writes is preserved if it is %s', async (_, text) => {
  expect(await textsOf(`${time(400)}${text}\n`)).toEqual([text])
})

test('the line end of a terminal is removed, and a line of a million carriage returns takes no longer', async () => {
  const returns = '\r'.repeat(500_000)
  expect(await textsOf(`${time(1)}one\r\n`, `${time(2)}${returns}two${returns}\n`)).toEqual(['one', `${returns}two`])
})

test('a reader that continues after a line of parts does not count the end of that line as a new one', async () => {
  const frame = (text: string) => ({ kind: 'frame' as const, stream: 'stdout' as const, bytes: Buffer.from(text) })
  const parts = [`${time(0)}one\n`, `${time(0)}long `, `${time(0, 6)}line\n`, `${time(0, 6)}three\n`]
  const endsOf = async (parts: string[]) => {
    const read = async function* () {
      yield* parts.map(frame)
    }
    return (await Array.fromAsync(readContainerLines(read()))).map(({ text, end }) => [text, end.nth])
  }
  expect(await endsOf(parts)).toEqual([
    ['one', 1],
    ['long line', 1],
    ['three', 2],
  ])
  expect(await endsOf(parts.slice(2))).toEqual([
    ['line', 1],
    ['three', 2],
  ])
})
