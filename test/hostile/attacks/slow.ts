import { setTimeout as sleep } from 'node:timers/promises'
import { type Attack, between, pick, type Target } from '../attack.ts'
import { connect, exchange, outcomesOf } from '../wire.ts'

const slices = (content: Buffer, size: number, max: number): Buffer[] =>
  Array.from({ length: Math.min(max, Math.ceil(content.length / size)) }, (_, index) =>
    content.subarray(index * size, (index + 1) * size),
  )

const withBody = ({ requests }: Target) => requests.filter(({ body }) => body.length > 1_000)

/** Sends headers a few bytes at a time; most stay incomplete. */
export const slowHeaders: Attack = async (target, random) => {
  const { head, name } = pick(target.requests, random)
  const parts = slices(head, between(1, 12, random), between(10, 60, random))
  const gapMilliseconds = between(50, 200, random)
  const text = await exchange(pick(target.ports, random), parts, { gapMilliseconds })
  for (const outcome of outcomesOf(text)) target.tally.add('slow headers', outcome, () => `${name}\n${text}`)
}

/** Sends a body a few bytes at a time, and then nothing. */
export const slowBody: Attack = async (target, random) => {
  const { head, body, name } = pick(withBody(target), random)
  const parts = [head, ...slices(body, between(1, 64, random), between(10, 40, random))]
  const gapMilliseconds = between(50, 200, random)
  const answerMilliseconds = between(0, 8_000, random)
  const text = await exchange(pick(target.ports, random), parts, { gapMilliseconds, answerMilliseconds })
  for (const outcome of outcomesOf(text)) target.tally.add('slow body', outcome, () => `${name}\n${text}`)
}

const largeAnswers = ['/openapi.json', '/logs/api/search?limit=1000', '/logs/api/search?q=error&limit=1000', '/docs']

/** Pipelines requests for large answers on one connection, and reads a few packets per second. */
export const slowReader: Attack = async ({ ports, tally }, random) => {
  const socket = await connect(pick(ports, random))
  if (!socket) return
  const path = pick(largeAnswers, random)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(between(1, 8, random)))
  let text = ''
  socket.on('data', (packet: Buffer) => {
    text ||= packet.toString('latin1', 0, 1_024)
    socket.pause()
  })
  for (let left = between(5, 20, random); left > 0 && !socket.destroyed; left--) {
    socket.resume()
    await sleep(200)
  }
  socket.destroy()
  for (const outcome of outcomesOf(text)) tally.add('slow reader', outcome, () => `${path}\n${text}`)
}
