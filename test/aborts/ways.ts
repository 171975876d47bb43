import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RawRequest } from './requests.ts'

/** The bytes that a client sends before it disconnects. */
export const places = {
  'before the headers end': ({ head }) => head.subarray(0, Math.floor(head.length / 2)),
  'at 0 bytes of the body': ({ head }) => head,
  'at 1 byte of the body': ({ head, body }) => Buffer.concat([head, body.subarray(0, 1)]),
  'at half of the body': ({ head, body }) => Buffer.concat([head, body.subarray(0, body.length >> 1)]),
  'at all but one byte of the body': ({ head, body }) => Buffer.concat([head, body.subarray(0, -1)]),
  'before the response': ({ head, body }) => Buffer.concat([head, body]),
  'in the middle of the response': ({ head, body }) => Buffer.concat([head, body]),
} satisfies Record<string, (request: RawRequest) => Buffer>

export const ways = ['reset', 'close', 'half-close', 'stall'] as const

export type Place = keyof typeof places
export type Way = (typeof ways)[number]
export type Case = { request: RawRequest; place: Place; way: Way; pauseMilliseconds: number }

export const titleOf = ({ request, place, way }: Case): string => `${request.name}: ${way} ${place}`

/** The distinct places for a request. Without a body, the places within the body are dropped. */
export const placesOf = ({ body }: RawRequest): Place[] => {
  const all = Object.keys(places) as Place[]
  return body.length > 0 ? all : all.filter((place) => !place.includes('of the body'))
}

const longestPauseMilliseconds = 100

/** Every case of a request, each with a random pause. */
export const casesOf = (request: RawRequest, random: () => number): Case[] =>
  placesOf(request).flatMap((place) =>
    ways.map((way) => ({ request, place, way, pauseMilliseconds: random() * longestPauseMilliseconds })),
  )

const answerMilliseconds = 5_000
/** A generous wait: searches of a marketplace take seconds, and spectrograms on a busy machine minutes. */
const controlMilliseconds = 180_000

/** Settles with the first bytes of an answer, the end of the connection, or after a timeout, since some requests are never answered. */
export const answered = async (socket: Socket, milliseconds: number): Promise<void> => {
  const settled = new AbortController()
  const { signal } = settled
  const any = [
    once(socket, 'data', { signal }),
    once(socket, 'close', { signal }),
    sleep(milliseconds, undefined, { signal }),
  ]
  for (const one of any) one.catch(() => undefined)
  await Promise.race(any)
  settled.abort()
}

/**
 * Sends a request up to the place of the case, then disconnects. A stalled socket is returned open, and the caller must close it. `onAnswer` receives
 * the first packet of an answer, if one arrives.
 */
export const disappear = async (
  port: number,
  one: Case,
  onAnswer?: (packet: Buffer) => void,
): Promise<Socket | undefined> => {
  const { request, place, way, pauseMilliseconds } = one
  const socket = createConnection(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => undefined)
  if (socket.destroyed) return undefined
  // Only the first packet is read, so that the answer is aborted in its middle.
  socket.once('data', (packet: Buffer) => {
    onAnswer?.(packet)
    socket.pause()
  })
  const first = place === 'in the middle of the response' ? answered(socket, answerMilliseconds) : undefined
  socket.write(places[place](request))
  await first
  await sleep(pauseMilliseconds)
  if (way === 'stall') return socket
  if (way === 'reset') socket.resetAndDestroy()
  if (way === 'close') socket.destroy()
  if (way === 'half-close') {
    socket.resume().end()
    await answered(socket, 500)
    socket.destroy()
  }
  return undefined
}

/** Status and content-length of the answer to a complete request; zeros if none arrives. */
export const answerTo = async (port: number, request: RawRequest): Promise<{ status: number; bytes: number }> => {
  const socket = createConnection(port, '127.0.0.1')
  socket.on('error', () => undefined)
  let text = ''
  socket.once('data', (packet: Buffer) => {
    text = packet.toString('latin1', 0, 4_096)
  })
  const first = answered(socket, controlMilliseconds)
  socket.write(Buffer.concat([request.head, request.body]))
  await first
  socket.destroy()
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(text) ?? []
  const [, bytes] = /^content-length: (\d+)/im.exec(text) ?? []
  return { status: Number(status ?? 0), bytes: Number(bytes ?? 0) }
}
