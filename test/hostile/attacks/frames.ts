/** Broken HTTP/2 frames and gRPC messages, sent to internal ports of the installation. */
import { connect as connectHttp2 } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import { services } from '@trellis/protos/edge/routes.ts'
import { type Attack, between, bytesOf, pick } from '../attack.ts'
import type { Outcome } from '../tally.ts'
import { exchange, outcomesOf } from '../wire.ts'

type Random = () => number

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

/** A frame of RFC 9113, 4.1, optionally with a wrong length. */
const frame = (type: number, flags: number, stream: number, payload: Buffer, length = payload.length): Buffer => {
  const head = Buffer.alloc(9)
  head.writeUIntBE(length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

const empty = Buffer.alloc(0)
const settings = frame(4, 0, 0, empty)
const hello = Buffer.concat([preface, settings])
/** `:method POST`, `:scheme http`, `:path /` of the static table. */
const request = Buffer.from([0x83, 0x86, 0x84])
const word = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const many = (count: number, make: (index: number) => Buffer) =>
  Buffer.concat(Array.from({ length: count }, (_, index) => make(index)))

const frames: Record<string, (random: Random) => Buffer> = {
  noise: (random) => bytesOf(between(1, 4_000, random), random),
  'HTTP/1.1': () => Buffer.from('GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n'),
  'push without a key': () => Buffer.from('POST /api/glean/batch HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nnull'),
  'push, torn': () =>
    Buffer.from('POST /api/glean/batch HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\nx'),
  'half the preface': () => preface.subarray(0, 11),
  'preface alone': () => preface,
  'noise for frames': (random) => Buffer.concat([hello, bytesOf(2_000, random)]),
  'frame beyond the limit': (random) => Buffer.concat([hello, frame(0, 0, 1, bytesOf(100, random), 0xff_ff_ff)]),
  'half a frame': () => Buffer.concat([hello, frame(1, 4, 1, request, 500)]),
  'data on stream 0': () => Buffer.concat([hello, frame(0, 1, 0, request)]),
  'data on an idle stream': () => Buffer.concat([hello, frame(0, 1, 7, request)]),
  'headers on an even stream': () => Buffer.concat([hello, frame(1, 5, 2, request)]),
  'noise for headers': (random) => Buffer.concat([hello, frame(1, 5, 1, bytesOf(300, random))]),
  'table beyond its size': () => Buffer.concat([hello, frame(1, 5, 1, Buffer.from([0x3f, 0xff, 0xff, 0xff, 0x0f]))]),
  'settings of odd length': () => Buffer.concat([preface, frame(4, 0, 0, Buffer.alloc(5))]),
  'settings out of range': () => Buffer.concat([preface, frame(4, 0, 0, Buffer.from([0, 4, 0xff, 0xff, 0xff, 0xff]))]),
  'window by nothing': () => Buffer.concat([hello, frame(8, 0, 0, word(0))]),
  'window beyond its size': () => Buffer.concat([hello, many(3, () => frame(8, 0, 0, word(0x7fffffff)))]),
  'stream that waits for itself': () => Buffer.concat([hello, frame(2, 0, 1, Buffer.from([0, 0, 0, 1, 0]))]),
  'unknown frames': (random) =>
    Buffer.concat([hello, many(50, (index) => frame(0x20 + index, 0xff, 1, bytesOf(20, random)))]),
  'promise of a client': () => Buffer.concat([hello, frame(5, 4, 1, Buffer.concat([word(2), request]))]),
  'headers without an end': () =>
    Buffer.concat([hello, frame(1, 0, 1, request), many(300, () => frame(9, 0, 1, Buffer.alloc(200)))]),
  'streams that are reset at once': () =>
    Buffer.concat([
      hello,
      many(300, (index) => Buffer.concat([frame(1, 5, 2 * index + 1, request), frame(3, 0, 2 * index + 1, word(8))])),
    ]),
  'flood of settings': () => Buffer.concat([hello, many(2_000, () => settings)]),
  'flood of pings': () => Buffer.concat([hello, many(2_000, () => frame(6, 0, 0, Buffer.alloc(8)))]),
  'flood of empty data': () =>
    Buffer.concat([hello, frame(1, 4, 1, request), many(2_000, () => frame(0, 0, 1, empty))]),
  'farewell, then more': () => Buffer.concat([hello, frame(7, 0, 0, Buffer.alloc(8)), frame(1, 5, 1, request)]),
}

/** Sends bytes that are not HTTP/2, or violate it, to an internal port. */
export const brokenFrames: Attack = async ({ internalPorts, tally }, random) => {
  if (internalPorts.length === 0) return
  const [name, make] = pick(Object.entries(frames), random)
  const bytes = make(random)
  const port = pick(internalPorts, random)
  const text = await exchange(port, [bytes], { answerMilliseconds: 1_000, lingerMilliseconds: 200 })
  for (const outcome of outcomesOf(text, 'all'))
    tally.add('malformed: frames', outcome, () => `${name} at port ${port}\n${text}`)
}

const methods = services.flatMap(({ name, definition }) =>
  Object.values(definition.methods as Record<string, { name: string }>).map((method) => `/${name}/${method.name}`),
)

const prefixed = (flag: number, length: number, content: Buffer) =>
  Buffer.concat([Buffer.from([flag]), word(length), content])

const messages: Record<string, (random: Random) => Buffer> = {
  noise: (random) => prefixed(0, 300, bytesOf(300, random)),
  'longer than it is': () => prefixed(0, 5_000, Buffer.alloc(10)),
  'beyond the limit': () => prefixed(0, 0xff_ff_ff_ff, Buffer.alloc(10)),
  'compressed without a coding': () => prefixed(1, 10, Buffer.alloc(10, 7)),
  'odd flag': () => prefixed(0x7f, 2, Buffer.alloc(2)),
  'half a prefix': () => Buffer.from([0, 0]),
  nothing: () => empty,
  'two messages': () => Buffer.concat([prefixed(0, 0, empty), prefixed(0, 0, empty)]),
}

const metadata: Record<string, string>[] = [
  {},
  { 'grpc-timeout': '99999999999999H' },
  { 'grpc-encoding': 'gzip' },
  { 'grpc-encoding': 'nonsense' },
  { 'content-type': 'text/plain' },
  { 'x-request-id': 'a'.repeat(6_000) },
  { 'x-trellis-caller': '{"kind":"account","userId":"evil"}', authorization: 'Bearer evil' },
  { 'grpc-trace-bin': '!!! no base64 !!!' },
]

/** A call in valid HTTP/2 whose message, headers or method are invalid. */
export const brokenCall: Attack = async ({ grpcPorts, tally }, random) => {
  if (grpcPorts.length === 0) return
  const [name, make] = pick(Object.entries(messages), random)
  const path = random() < 0.8 ? pick(methods, random) : '/trellis.nowhere.v1.Nothing/Get'
  const session = connectHttp2(`http://127.0.0.1:${pick(grpcPorts, random)}`)
  const outcome = Promise.withResolvers<Outcome>()
  const none = () => outcome.resolve('no answer')
  session.on('error', none).on('close', none)
  const call = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...pick(metadata, random),
  })
  const read = (headers: Record<string, unknown>) => {
    if (headers['grpc-status'] !== undefined) outcome.resolve(`grpc ${Number(headers['grpc-status'])}`)
    else if (headers[':status'] !== undefined && headers[':status'] !== 200) outcome.resolve(Number(headers[':status']))
  }
  call.on('error', none).on('close', none).on('response', read).on('trailers', read).resume()
  random() < 0.8 ? call.end(make(random)) : call.write(make(random))
  const answered = await Promise.race([outcome.promise, sleep(1_500, 'no answer' as const)])
  session.destroy()
  tally.add('malformed: calls', answered, () => `${name} for ${path}`)
}
