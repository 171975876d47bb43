import { expect, test } from 'vitest'
import { readContainerLines } from './container-lines.ts'
import type { LogPart } from './engine.ts'
import { readFrames } from './frames.ts'

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

test('a terminal line of a million pieces, as progress bars write them, is truncated and does not delay the next', async () => {
  const terminal = (text: string) => ({ kind: 'terminal' as const, bytes: Buffer.from(text) })
  const piece = terminal('\rdownloading: 42 %'.padEnd(20))
  const read = async function* () {
    yield terminal(time(1))
    for (let count = 0; count < 1_000_000; count++) yield piece
    yield terminal(`\n${time(2)}next\n`)
  }
  const [line, next] = await Array.fromAsync(readContainerLines(read()))
  expect([line?.text.length, next?.text]).toEqual([1024 * 1024, 'next'])
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

const linesOf = (parts: readonly LogPart[], options?: Parameters<typeof readContainerLines>[1]) => {
  const read = async function* () {
    yield* parts
  }
  return Array.fromAsync(readContainerLines(read(), options))
}
const framesOf = (...texts: string[]) =>
  texts.map((text): LogPart => ({ kind: 'frame', stream: 'stdout', bytes: Buffer.from(text) }))
const terminalOf = (...texts: string[]) =>
  texts.map((text): LogPart => ({ kind: 'terminal', bytes: Buffer.from(text) }))

test.each([
  ['output', framesOf],
  ['terminal', terminalOf],
])('last words on the %s without a line end are a line once the container has ended', async (_, partsOf) => {
  const written = [`${time(0)}one\n`, `${time(0)}two`]
  expect((await linesOf(partsOf(...written), { hasEnded: false })).map(({ text }) => text)).toEqual(['one'])
  const lines = await linesOf(partsOf(...written), { hasEnded: true })
  expect(lines.map(({ text }) => text)).toEqual(['one', 'two'])
  const position = lines.at(-1)?.end
  const restarted = await linesOf(partsOf(...written, `${time(0, 6)}three\n`), { hasEnded: false, position })
  expect(restarted.map(({ text }) => text)).toEqual(['one', 'two', 'three'])
  expect(restarted[1]?.end).toMatchObject({ nanoseconds: position?.nanoseconds, nth: position?.nth })
})

test('a short part of an engine that fills its parts is the end of a line', async () => {
  const full = 'x'.repeat(16_384)
  const parts = framesOf(`${time(1)}${full}`, `${time(2)}two`, `${time(3)}three\n`)
  const filled = parts.map((part) => ({ ...part, partsAreFull: true }) as LogPart)
  expect((await linesOf(filled)).map(({ text }) => text)).toEqual([`${full}two`, 'three'])
})

test('an error of the engine amid the log is reported with its words', async () => {
  const frame = (number: number, text: string) => {
    const head = Buffer.alloc(8)
    head[0] = number
    head.writeUInt32BE(text.length, 4)
    return Buffer.concat([head, Buffer.from(text)])
  }
  const sent = async function* () {
    yield Buffer.concat([frame(1, `${time(1)}one\n`), frame(3, 'Error grabbing logs: unexpected EOF\n')])
  }
  const read: string[] = []
  const reading = async () => {
    for await (const part of readFrames(sent(), true)) read.push(part.bytes.toString())
  }
  await expect(reading()).rejects.toThrow('The engine reports an error: Error grabbing logs: unexpected EOF')
  expect(read).toEqual([`${time(1)}one\n`])
})
