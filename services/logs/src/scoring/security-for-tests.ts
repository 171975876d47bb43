import { temporaryDirectory } from '../../../../test/support/temporary-directory.ts'
import { openEngineIn } from '../branches/stores-for-tests.ts'
import type { StoredEntry } from '../entries/entry.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { createSecurityScoring } from './score-security.ts'
import type { ScoreRange } from './scorer.ts'

const begin = Date.parse('2026-03-01T10:00:00Z')
export type Line = readonly [seconds: number, text: string]

/** Scores lines of one source at such times, by the scoring itself unless told otherwise. */
export const findIn = async (
  lines: readonly Line[],
  since = 0,
  scoringOf: (engine: LogEngine) => ScoreRange = createSecurityScoring,
) => {
  await using folder = await temporaryDirectory()
  await using opened = await openEngineIn(folder.path)
  await opened.push(
    null,
    lines.map(([seconds, text], sequence) => ({
      text,
      sequence,
      source_id: 'attic',
      timestamp_iso: new Date(begin + seconds * 1000).toISOString(),
    })),
  )
  const range = {
    sourceId: 'attic',
    since: since === 0 ? 0 : begin + since * 1000,
    until: Number.MAX_SAFE_INTEGER,
    firstTime: begin,
  }
  return (await scoringOf(opened.engine)(range, new AbortController().signal)).findings
}
export const many = (count: number, every: number, textOf: (index: number) => string): Line[] =>
  Array.from({ length: count }, (_, index) => [index * every, textOf(index)])

export const failed = (user: string, address: string) =>
  `sshd[7]: Failed password for ${user} from ${address} port 37033 ssh2`
export const request = (address: string, path: string, status: number) =>
  `${address} - - [01/Mar/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" ${status} 77 "-" "Mozilla/5.0"`

/** An entry of such a text, so many seconds after the epoch. */
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
