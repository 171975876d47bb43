import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Outcome } from './tally.ts'

export type ExchangeOptions = {
  /** Pause between two parts. */
  gapMilliseconds?: number
  /** The exchange ends this long after the last part at the latest. */
  answerMilliseconds?: number
  /** After the first answer bytes, once all parts are sent, more bytes are read for this long. */
  lingerMilliseconds?: number
}

const maxText = 16 * 1024

/** Opens a connection whose errors are ignored; undefined if it cannot be opened. */
export const connect = async (port: number): Promise<Socket | undefined> => {
  const socket = createConnection({ port, host: '127.0.0.1' })
  socket.on('error', () => undefined)
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => undefined)
  return socket.destroyed ? undefined : socket
}

/** Writes parts to a raw connection and returns the beginning of the received bytes as Latin-1. Closes the connection at the end. */
export const exchange = async (
  port: number,
  parts: Iterable<Buffer>,
  { gapMilliseconds = 0, answerMilliseconds = 3_000, lingerMilliseconds = 50 }: ExchangeOptions = {},
): Promise<string> => {
  const socket = await connect(port)
  if (!socket) return ''
  let text = ''
  const answered = Promise.withResolvers<void>()
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('data', (packet: Buffer) => {
    if (text.length < maxText) text += packet.toString('latin1', 0, maxText)
    answered.resolve()
  })
  for (const part of parts) {
    if (socket.destroyed) break
    socket.write(part)
    if (gapMilliseconds > 0) await Promise.race([sleep(gapMilliseconds), closed])
  }
  await Promise.race([answered.promise.then(() => sleep(lingerMilliseconds)), closed, sleep(answerMilliseconds)])
  socket.destroy()
  return text
}

/** Statuses of the answers in received text: of the first, or of all if no answer can contain the text of another. */
export const outcomesOf = (text: string, which: 'first' | 'all' = 'first'): Outcome[] => {
  const pattern = which === 'first' ? /^HTTP\/1\.[01] (\d{3})/g : /HTTP\/1\.[01] (\d{3})/g
  const statuses = [...text.matchAll(pattern)].map(([, status]) => Number(status))
  return statuses.length > 0 ? statuses : ['no answer']
}
