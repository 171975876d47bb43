import type { Fixtures } from '../aborts/requests.ts'
import { adminKey } from '../conformance/send.ts'
import { foreignMark } from './attacks/foreign.ts'

/** Words in the lines, which the normal user searches for. */
export const words = [
  'kernel',
  'timeout',
  'disk',
  'login',
  'session',
  'refused',
  'cache',
  'backup',
  'worker',
  'sshd',
  'upstream',
  'memory',
  'quota',
  'certificate',
  'replica',
  'queue',
]

const levels = ['INFO', 'INFO', 'INFO', 'WARN', 'ERROR']
const linesPerUpload = 10_000

const line = (index: number): string => {
  const time = new Date(Date.UTC(2026, 2, 1) + index * 1_000).toISOString()
  const word = (step: number) => words[(index * step + Math.floor(index / 17)) % words.length]
  return `${time} ${levels[index % levels.length]} host-${index % 40} app[${index % 977}]: ${word(1)} ${word(5)} of request ${index} ${word(11)} after ${index % 613} ms`
}

/** Stores `count` lines with timestamps from 1 March 2026 on, one per second. */
export const preload = async (origin: string, count: number): Promise<void> => {
  for (let first = 0; first < count; first += linesPerUpload) {
    const text = Array.from({ length: Math.min(linesPerUpload, count - first) }, (_, index) => line(first + index))
    const form = new FormData()
    form.append('file', new Blob([text.join('\n')]), `usual-${first}.log`)
    const response = await fetch(`${origin}/logs/api/ingest/upload?wait=true`, { method: 'POST', body: form })
    if (!response.ok) throw new Error(`Lines could not be stored: ${response.status} ${await response.text()}`)
    await response.arrayBuffer()
  }
}

const made = [
  '/logs/api/incidents',
  '/logs/api/ssh-targets',
  '/logs/api/orchard/branches',
  '/logs/api/context/facts',
  '/music/api/chains',
]

/** Sentences about what requests of foreign pages have changed: created or renamed resources, and deleted ones. */
export const foreignChanges = async (origin: string, { values }: Fixtures): Promise<string[]> => {
  const headers = { 'x-admin-key': adminKey }
  const found: string[] = []
  for (const path of made)
    if ((await (await fetch(`${origin}${path}`, { headers })).text()).includes(foreignMark))
      found.push(`${path} contains data from a foreign page`)
  const search = await fetch(`${origin}/logs/api/search?q=${foreignMark}`)
  if (!/"total":0\b/.test(await search.text())) found.push('an entry of a foreign page is found')
  for (const path of [`/logs/api/incidents/${values.id}`, `/music/api/chains/${values.chain_id}`]) {
    const { status } = await fetch(`${origin}${path}`)
    if (status !== 200) found.push(`${path} answers ${status}`)
  }
  const branches = await fetch(`${origin}/logs/api/orchard/branches`, { headers })
  if (!(await branches.text()).includes('"barn"')) found.push('the branch is gone')
  return found
}
