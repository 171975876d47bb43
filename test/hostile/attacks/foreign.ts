import { routes as known } from '@trellis/protos/edge/routes.ts'
import type { RawRequest } from '../../aborts/requests.ts'
import { type Attack, pick, type Target } from '../attack.ts'
import { exchange, outcomesOf } from '../wire.ts'

/** Marks everything that pages of other sites try to create. */
export const foreignMark = 'madebyforeignpages'

/** GET routes that start work, which count as changes. */
const starting = new Set(known.filter(({ starts }) => starts !== 'none').map(({ method, path }) => `${method} ${path}`))

const pathPattern = (path: string) => path.replaceAll(/:(\w+)/g, '{$1}')
const startingPaths = new Set([...starting].map(pathPattern))

const isChange = ({ route: { method, path } }: RawRequest) => method !== 'GET' || startingPaths.has(`${method} ${path}`)

const foreign: Record<number, readonly string[]> = {
  421: ['Host: evil.example', 'Host: localhost.evil.example:8080', 'Host: 127.0.0.1.evil.example', 'Host: evil'],
  403: [
    'Host: localhost\r\nOrigin: https://evil.example',
    'Host: localhost\r\nOrigin: null',
    'Host: localhost\r\nSec-Fetch-Site: cross-site',
    'Host: localhost\r\nSec-Fetch-Site: same-site\r\nOrigin: http://127.0.0.1:3000',
    'Host: localhost\r\nOrigin: http://localhost.evil.example\r\nSec-Fetch-Mode: no-cors',
  ],
}

const withHeaders = (head: Buffer, headers: string): Buffer =>
  Buffer.from(head.toString('latin1').replace(/\r\nhost: localhost/i, `\r\n${headers}`), 'latin1')

const json = (method: string, path: string, body: unknown, headers = ''): { head: Buffer; body: Buffer } => {
  const content = Buffer.from(JSON.stringify(body))
  const lines = `content-type: application/json\r\ncontent-length: ${content.length}\r\n${headers}`
  return { head: Buffer.from(`${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${lines}\r\n`), body: content }
}

/** Changes whose effect would be visible at the end: marked creations and renames, and deletions of existing resources. */
export const markedChanges = ({ fixtures: { values, headers } }: Pick<Target, 'fixtures'>) => {
  const keys = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return [
    json('POST', '/logs/api/glean/batch', { source_id: 'foreign', entries: [{ text: foreignMark }] }),
    json('POST', '/logs/api/incidents', { label: foreignMark }),
    json('POST', '/logs/api/ssh-targets', { label: foreignMark, host: '127.0.0.1', user: 'x', key_path: '/x' }),
    json('POST', '/logs/api/orchard/graft', { label: foreignMark }, keys.join('')),
    json('POST', '/logs/api/context/facts', { category: 'other', key: foreignMark, value: foreignMark }),
    json('PATCH', `/logs/api/incidents/${values.id}`, { label: foreignMark }),
    json('PATCH', `/music/api/chains/${values.chain_id}`, { name: foreignMark }),
    json('DELETE', `/logs/api/incidents/${values.id}`, {}),
    json('DELETE', `/music/api/chains/${values.chain_id}`, {}),
    json('DELETE', '/logs/api/orchard/branches/barn', {}, keys.join('')),
  ]
}

/** A request as a browser would send it for a page of another site, or to a rebound name. It must be refused before its body is read. */
export const foreignPage: Attack = async (target, random) => {
  const changes = random() < 0.5 ? markedChanges(target) : target.requests.filter(isChange)
  const { head, body } = pick<{ head: Buffer; body: Buffer }>(changes, random)
  const expected = random() < 0.5 ? 421 : 403
  const sent = withHeaders(head, pick(foreign[expected] ?? [], random))
  // A generous limit: a busy machine answers late.
  const text = await exchange(pick(target.ports, random), [sent, body], { answerMilliseconds: 30_000 })
  const first = sent.toString('latin1').slice(0, 300)
  const [outcome = 'no answer'] = outcomesOf(text)
  target.tally.add(`foreign: expected ${expected}`, outcome, () => `${first}\n${text}`)
  // The refusal of a large body may be lost, because the connection is closed while the body is still being sent.
  const isLost = outcome === 'no answer' && body.length > 16 * 1024
  if (outcome !== expected && outcome !== 429 && !isLost)
    target.tally.fail(`foreign: ${outcome} instead of ${expected} for ${first}\n${text.slice(0, 300)}`)
}
