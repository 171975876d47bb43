import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Outcome } from './tally.ts'

export type ExchangeOptions = {
  /** Between two parts. */
  gapMilliseconds?: number
  /** The exchange ends this long after the last part, whatever has come back. */
  answerMilliseconds?: number
  /** Once something has come back and all parts are sent, more may come for this long. */
  lingerMilliseconds?: number
}

const maxText = 16 * 1024

/** A connection on which errors are expected; undefined where there is none to be had. */
export const connect = async (port: number): Promise<Socket | undefined> => {
  const socket = createConnection({ port, host: '127.0.0.1' })
  socket.on('error', () => undefined)
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => undefined)
  return socket.destroyed ? undefined : socket
}

/** Writes parts to a bare connection and gives the beginning of what comes back, as Latin-1. The connection is dropped at the end. */
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

/** Statuses of the answers in what came back: of the first, or of all where no answer holds text of others. */
export const outcomesOf = (text: string, which: 'first' | 'all' = 'first'): Outcome[] => {
  const pattern = which === 'first' ? /^HTTP\/1\.[01] (\d{3})/g : /HTTP\/1\.[01] (\d{3})/g
  const statuses = [...text.matchAll(pattern)].map(([, status]) => Number(status))
  return statuses.length > 0 ? statuses : ['no answer']
}
