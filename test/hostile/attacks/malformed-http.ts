/** Broken, ambiguous or oversized HTTP/1.1 as raw bytes. */
import { type Attack, bytesOf, pick } from '../attack.ts'
import { exchange, outcomesOf } from '../wire.ts'

type Random = () => number
type Bytes = string | Buffer

const json = 'Content-Type: application/json\r\n'
const get = (headers: string, path = '/logs/api/stats') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`
const post = (headers: string, body: string) =>
  `POST /logs/api/glean/batch HTTP/1.1\r\nHost: localhost\r\n${json}${headers}\r\n${body}`
const batch = '{"source_id":"malformed","entries":[{"text":"x"}]}'
const inChunks = (body: string) => post('Transfer-Encoding: chunked\r\n', body)
const ofLength = (length: string) => post(`Content-Length: ${length}\r\n`, batch)

const lines: Record<string, (random: Random) => Bytes> = {
  noise: (random) => bytesOf(1_000, random),
  'no HTTP': () => 'HELO example.org\r\n\r\n',
  'empty lines': () => '\r\n'.repeat(5_000),
  'version 9.9': () => 'GET / HTTP/9.9\r\nHost: localhost\r\n\r\n',
  'version of HTTP/2': () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'hello of TLS': (random) => Buffer.concat([Buffer.from('16030100ff010000fb0303', 'hex'), bytesOf(240, random)]),
  'no host': () => 'GET /logs/api/stats HTTP/1.1\r\n\r\n',
  'two hosts': () => 'GET /logs/api/stats HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n',
  'host with a path': () => 'GET / HTTP/1.1\r\nHost: localhost/evil\r\n\r\n',
  'unknown method': () => 'FETCH /logs/api/stats HTTP/1.1\r\nHost: localhost\r\n\r\n',
  TRACE: () => 'TRACE /logs/api/stats HTTP/1.1\r\nHost: localhost\r\n\r\n',
  CONNECT: () => 'CONNECT localhost:5432 HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'upgrade to a socket': () =>
    get(
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n',
    ),
  'upgrade to HTTP/2': () =>
    get('Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n'),
  'odd expectation': () => post('Expect: the-unexpected\r\nContent-Length: 2\r\n', '{}'),
  'expectation without a body': () => post('Expect: 100-continue\r\nContent-Length: 200\r\n', ''),
}

const headers: Record<string, (random: Random) => Bytes> = {
  'NUL in a header': () => get('X-Request-Id: a\0b\r\n'),
  'NUL in the path': () => get('', '/logs/api/\0stats'),
  'NUL in a name': () => get('X-\0: a\r\n'),
  'bare line feeds': () => 'GET /logs/api/stats HTTP/1.1\nHost: localhost\n\n',
  'bare carriage returns': () => 'GET /logs/api/stats HTTP/1.1\rHost: localhost\r\r',
  'folded header': () => get('X-Folded: a\r\n b\r\n'),
  'blank before the colon': () => get('X-Blank : a\r\n'),
  'no colon': () => get('NoColonAtAll\r\n'),
  'no name': () => get(': a\r\n'),
  'oversized header': () => get(`X-Long: ${'a'.repeat(70_000)}\r\n`),
  'many headers': () => get('X-Many: a\r\n'.repeat(5_000)),
  'many cookies': () => get(`Cookie: ${'a=b; '.repeat(2_000)}\r\n`),
  'odd addresses of callers': () => get(`X-Forwarded-For: ${'nowhere, ::1%lo, 300.1.1.1, '.repeat(50)}\r\n`),
  'odd ranges': () => get(`Range: bytes=${'0-,'.repeat(1_000)}\r\n`, '/openapi.json'),
  'odd event id': () =>
    get('Last-Event-ID: 99999999999999999999999\r\nAccept: text/event-stream\r\n', '/logs/api/tail'),
}

const paths: Record<string, (random: Random) => Bytes> = {
  'oversized path': () => get('', `/${'a'.repeat(70_000)}`),
  'long path': () => get('', `/logs/api/tasks/${'a'.repeat(8_000)}`),
  'long query': () => get('', `/logs/api/search?q=${'a%20'.repeat(3_000)}`),
  'broken escape': () => get('', '/logs/api/tasks/%zz%'),
  'escape that is no UTF-8': () => get('', '/logs/api/tasks/%ff%fe?q=%ff'),
  'escaped NUL': () => get('', '/logs/api/tasks/%00?q=%00'),
  'path to the top': () => get('', '/../../../../etc/passwd'),
  'escaped path to the top': () => get('', '/docs/%2e%2e%2f%2e%2e%2fetc%2fpasswd'),
  backslashes: () => get('', '/docs\\..\\..\\package.json'),
  'no path': () => get('', ''),
  'absolute target': () => get('', 'http://evil.example/logs/api/stats'),
  asterisk: () => 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'fields of prototypes': () => get('', '/logs/api/search?__proto__[x]=1&constructor=1&q[]=1&limit=1e9&offset=-1'),
}

const lengths: Record<string, (random: Random) => Bytes> = {
  'negative length': () => ofLength('-1'),
  'length in words': () => ofLength('many'),
  'length in hexadecimal': () => ofLength('0x20'),
  'length with a sign': () => ofLength('+5'),
  'length beyond all numbers': () => ofLength('99999999999999999999'),
  'huge length': () => ofLength('1099511627776'),
  'list of lengths': () => ofLength('5, 6'),
  'two lengths': () => post('Content-Length: 5\r\nContent-Length: 60\r\n', batch),
  'length and chunks': () =>
    post(
      'Content-Length: 6\r\nTransfer-Encoding: chunked\r\n',
      '0\r\n\r\nGET /health HTTP/1.1\r\nHost: localhost\r\n\r\n',
    ),
  'chunks and length': () =>
    post(
      'Transfer-Encoding: chunked\r\nContent-Length: 3\r\n',
      `${batch.length.toString(16)}\r\n${batch}\r\n0\r\n\r\n`,
    ),
  'blank before chunked': () => post('Transfer-Encoding : chunked\r\nContent-Length: 4\r\n', '0\r\n\r\n'),
  'unknown coding': () => post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n'),
  'chunked, then another': () => post('Transfer-Encoding: chunked, identity\r\n', '0\r\n\r\n'),
  'chunked twice': () => post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
  'chunk without a size': () => inChunks('zz\r\nabc\r\n0\r\n\r\n'),
  'chunk of negative size': () => inChunks('-5\r\nabc\r\n0\r\n\r\n'),
  'chunk beyond all numbers': () => inChunks('ffffffffffffffffff\r\nabc\r\n'),
  'chunk of another size': () => inChunks('3\r\nabcdefgh\r\n0\r\n\r\n'),
  'long chunk extension': () => inChunks(`1;${'a'.repeat(40_000)}\r\n{\r\n0\r\n\r\n`),
  'many small chunks': () => inChunks(`${'1\r\n \r\n'.repeat(20_000)}0\r\n\r\n`),
  'many trailers': () => inChunks(`1\r\n{\r\n0\r\n${'X-Trailer: a\r\n'.repeat(5_000)}\r\n`),
  'forbidden trailers': () => inChunks('2\r\n{}\r\n0\r\nHost: evil.example\r\nContent-Length: 9\r\n\r\n'),
  'requests one behind the other': () => get('').repeat(30),
  'requests behind a broken one': () => `${get('X-\0: a\r\n')}${get('').repeat(5)}`,
  'body of a GET': () => `${get(`${json}Content-Length: 5\r\n`)}GET /`,
}

export const malformed = { ...lines, ...headers, ...paths, ...lengths }

/** Sends one of the malformed requests, in one packet or in two. */
export const malformedHttp: Attack = async ({ ports, tally }, random) => {
  const [name, make] = pick(Object.entries(malformed), random)
  const bytes = Buffer.from(make(random) as string, 'latin1')
  const cut = Math.floor(random() * bytes.length)
  const parts = random() < 0.5 ? [bytes] : [bytes.subarray(0, cut), bytes.subarray(cut)]
  const text = await exchange(pick(ports, random), parts, { gapMilliseconds: 5, answerMilliseconds: 1_500 })
  for (const outcome of outcomesOf(text, 'all')) tally.add('malformed: HTTP', outcome, () => `${name}\n${text}`)
}
