/** Bodies that do not match their headers: JSON, NDJSON, gzip and multipart. */
import { gzipSync } from 'node:zlib'
import type { RawRequest } from '../../aborts/requests.ts'
import { type Attack, between, bytesOf, pick, type Target } from '../attack.ts'
import { exchange, outcomesOf } from '../wire.ts'

type Random = () => number
type Body = { type: string; content: Buffer; encoding?: string }

const utf8 = (text: string) => Buffer.from(text)
const boundary = 'malformed'
const multipart = `multipart/form-data; boundary=${boundary}`
const part = (headers: string, content = 'x') => `--${boundary}\r\n${headers}\r\n\r\n${content}\r\n`
const file = part('content-disposition: form-data; name="file"; filename="a.log"')
const end = `--${boundary}--\r\n`

const jsonTexts: Record<string, () => Buffer> = {
  nothing: () => utf8(''),
  'half an object': () => utf8('{"source_id": "x", "entries": ['),
  'a word': () => utf8('nothing'),
  null: () => utf8('null'),
  'a number': () => utf8('1e999'),
  'a list': () => utf8('[[], {}, null]'),
  'deep lists': () => utf8('['.repeat(100_000)),
  'deep objects': () => utf8(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`),
  'no UTF-8': () => Buffer.concat([utf8('{"source_id":"'), Buffer.from([0xff, 0xfe, 0xc0, 0x80]), utf8('"}')]),
  'half a surrogate': () =>
    utf8('{"source_id":"\\ud800","entries":[{"text":"\\udfff\\u0000"}],"label":"\\ud800","name":"\\ud800"}'),
  'a mark of byte order': () => utf8('\ufeff{"source_id":"x","entries":[]}'),
  NUL: () => utf8('{"source_id":"a\0b","entries":[]}\0'),
  'NUL, escaped': () =>
    utf8(
      '{"source_id":"a\\u0000b","label":"\\u0000","query":"\\u0000","name":"\\u0000","entries":[{"text":"\\u0000"}]}',
    ),
  'fields of prototypes': () =>
    utf8('{"__proto__":{"a":1},"constructor":{"prototype":{"a":1}},"source_id":"x","entries":[]}'),
  'wrong types': () => utf8('{"source_id":{},"entries":"x","label":[],"query":1,"name":{},"host":true}'),
  'long numbers': () => utf8(`{"limit":${'9'.repeat(5_000)},"entries":[{"text":${'1'.repeat(400)}}]}`),
  'many fields': () => utf8(`{${Array.from({ length: 20_000 }, (_, index) => `"f${index}":1`).join(',')}}`),
  'one field many times': () => utf8(`{${'"source_id":"x",'.repeat(10_000)}"entries":[]}`),
  'broken lines': () => utf8('{"text":"a"}\n{"text":\n\0\n[]\nnull\n"x"\n{"text":{}}\n'),
  'one endless line': () => utf8(`{"text":"${'a'.repeat(400_000)}`),
}

const types = [
  'application/json',
  'application/x-ndjson',
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/xml',
  'nonsense',
  '',
]

const brokenText = (random: Random): Body => {
  const make = pick(Object.values(jsonTexts), random)
  return { type: random() < 0.6 ? 'application/json' : pick(types, random), content: make() }
}

const packed = gzipSync(JSON.stringify({ source_id: 'malformed', entries: [{ text: 'x' }] }))
/** 32 MiB of blanks in 32 KiB, more than the body limit. */
const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024, 32))

const gzips: Record<string, (random: Random) => Buffer> = {
  noise: (random) => bytesOf(2_000, random),
  half: () => packed.subarray(0, packed.length >> 1),
  nothing: () => Buffer.alloc(0),
  'header alone': () => packed.subarray(0, 10),
  'wrong sum': () => Buffer.concat([packed.subarray(0, -8), Buffer.alloc(8, 1)]),
  'noise behind it': (random) => Buffer.concat([packed, bytesOf(500, random)]),
  twice: () => gzipSync(packed),
  bomb: () => bomb,
  'many members': () => Buffer.concat(Array.from({ length: 500 }, () => gzipSync(''))),
}

const brokenGzip = (random: Random): Body => ({
  type: pick(['application/json', 'application/x-ndjson', multipart], random),
  content: pick(Object.values(gzips), random)(random),
  encoding: random() < 0.7 ? 'gzip' : pick(['deflate', 'br', 'zstd', 'gzip, gzip', 'x', ''], random),
})

const forms: Record<string, () => string> = {
  'no end': () => file,
  'no parts': () => end,
  nothing: () => '',
  'headers without an end': () => `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n`,
  'oversized part header': () => part(`content-disposition: form-data; name="file"; x="${'a'.repeat(100_000)}"`) + end,
  'many headers of a part': () =>
    part(`${'x: y\r\n'.repeat(5_000)}content-disposition: form-data; name="file"; filename="a"`) + end,
  'no disposition': () => part('content-type: text/plain') + end,
  'odd name of a file': () =>
    part('content-disposition: form-data; name="file"; filename="../../../../etc/passwd\0.log"') + end,
  'broken extended name': () => part('content-disposition: form-data; name="file"; filename*=UTF-8\'\'%zz%ff%00') + end,
  'NUL in a name': () => part('content-disposition: form-data; name="fi\0le"; filename="\0"') + end,
  'field of prototypes': () => part('content-disposition: form-data; name="__proto__"') + file + end,
  'many fields': () => part('content-disposition: form-data; name="note"').repeat(3_000) + end,
  'many files': () => file.repeat(500) + end,
  'large field': () => part('content-disposition: form-data; name="name"', 'a'.repeat(300_000)) + end,
  'nested form': () =>
    part(
      'content-disposition: form-data; name="file"\r\ncontent-type: multipart/mixed; boundary=b',
      '--b\r\n\r\nx\r\n--b--',
    ) + end,
  'text behind the end': () => `${file}${end}${file}garbage`,
  'another boundary': () => file.replaceAll(boundary, 'other'),
}

const formTypes = [
  'multipart/form-data',
  'multipart/form-data; boundary=',
  `multipart/form-data; boundary=${'b'.repeat(2_000)}`,
  'multipart/mixed; boundary=malformed',
  'multipart/form-data; boundary="malformed',
]

const brokenForm = (random: Random): Body => ({
  type: random() < 0.8 ? multipart : pick(formTypes, random),
  content: Buffer.from(pick(Object.values(forms), random)(), 'latin1'),
})

/** A valid body of a route with random bytes changed, and possibly truncated. */
const mutated = ({ body, head }: RawRequest, random: Random): Body => {
  const type = /\r\ncontent-type: ([^\r]+)/.exec(head.toString('latin1'))?.[1] ?? ''
  const content = Buffer.from(body)
  for (let left = between(1, 8, random); left > 0 && content.length > 0; left--)
    content[Math.floor(random() * Math.min(content.length, 2_000))] = Math.floor(random() * 256)
  return { type, content: random() < 0.5 ? content : content.subarray(0, Math.floor(random() * content.length)) }
}

const sending = ({ head }: RawRequest, { type, content, encoding }: Body): Buffer => {
  const [line, ...rest] = head.toString('latin1').trimEnd().split('\r\n')
  const others = rest.filter((header) => !/^(content-|transfer-encoding)/i.test(header))
  const own = [`content-type: ${type}`, `content-length: ${content.length}`]
  if (encoding !== undefined) own.push(`content-encoding: ${encoding}`)
  return Buffer.concat([Buffer.from([line, ...others, ...own, '', ''].join('\r\n'), 'latin1'), content])
}

const broken = (request: RawRequest, random: Random): Body => {
  if (request.name.includes('multipart') && random() < 0.6) return brokenForm(random)
  const isSized = request.name.endsWith('sized)')
  return pick([brokenText, brokenGzip, isSized ? (draw: Random) => mutated(request, draw) : brokenText], random)(random)
}

/** Sends a broken body to a random route with a body. */
export const malformedBody: Attack = async (target: Target, random) => {
  const { ports, requests, tally } = target
  const request = pick(
    requests.filter(({ body }) => body.length > 0),
    random,
  )
  const body = broken(request, random)
  const text = await exchange(pick(ports, random), [sending(request, body)], { answerMilliseconds: 5_000 })
  const shown = () =>
    `${request.name} as ${body.type} ${body.encoding ?? ''}\n${body.content.subarray(0, 200).toString('latin1')}\n${text}`
  for (const outcome of outcomesOf(text)) tally.add('malformed: body', outcome, shown)
}
