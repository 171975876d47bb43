import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterAll } from 'vitest'
import { openEngineIn } from '../branches/stores-for-tests.ts'
import type { StoredEntry } from '../entries/entry.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { createSecurityScoring } from './score-security.ts'
import type { ScoreRange } from './scorer.ts'

const begin = Date.parse('2026-03-01T10:00:00Z')
export type Line = readonly [seconds: number, text: string]

/** The name of the source in findings. */
const source = 'attic'

let shared: Promise<AsyncDisposable & Awaited<ReturnType<typeof openEngineIn>>> | undefined
let sources = 0

/** The engine of the test file, opened on first use. */
const openShared = async () => {
  await using stack = new AsyncDisposableStack()
  const opened = stack.use(await openEngineIn(stack.use(await temporaryDirectory()).path))
  const owned = stack.move()
  return { ...opened, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
afterAll(async () => (await shared)?.[Symbol.asyncDispose]())

const newSource = () => {
  sources += 1
  return `${source}-${sources}`
}

/** Scores lines with times in seconds, by the security scoring by default. The lines form a new source unless `sourceId` is set. */
export const findIn = async (
  lines: readonly Line[],
  since = 0,
  scoringOf: (engine: LogEngine) => ScoreRange = createSecurityScoring,
  sourceId = newSource(),
) => {
  shared ??= openShared()
  const { engine, push } = await shared
  await push(
    null,
    lines.map(([seconds, text], sequence) => ({
      text,
      sequence,
      source_id: sourceId,
      timestamp_iso: new Date(begin + seconds * 1000).toISOString(),
    })),
  )
  const range = {
    sourceId,
    since: since === 0 ? 0 : begin + since * 1000,
    until: Number.MAX_SAFE_INTEGER,
    firstTime: begin,
  }
  const { findings } = await scoringOf(engine)(range, new AbortController().signal)
  return findings.map((finding) => ({
    ...finding,
    subject: finding.subject === sourceId ? source : finding.subject,
    reason: finding.reason.replaceAll(sourceId, source),
  }))
}
export const many = (count: number, every: number, textOf: (index: number) => string): Line[] =>
  Array.from({ length: count }, (_, index) => [index * every, textOf(index)])

export const failed = (user: string, address: string) =>
  `sshd[7]: Failed password for ${user} from ${address} port 37033 ssh2`
export const request = (address: string, path: string, status: number) =>
  `${address} - - [01/Mar/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" ${status} 77 "-" "Mozilla/5.0"`

/** An entry with this text, `seconds` after the epoch. */
export const entryForTests = (text: string, seconds = 0): StoredEntry => ({
  entryId: '0'.repeat(32),
  origin: { sourceId: 'attic', branch: null, tenantId: null, format: 'plain' },
  sequence: 0,
  time: seconds * 1000,
  ingestTime: 0,
  effectiveTime: seconds * 1000,
  severity: null,
  repeatCount: 1,
  text,
  truncated: false,
  outOfOrder: false,
  matchedPatterns: [],
  templateId: null,
  sender: null,
})
