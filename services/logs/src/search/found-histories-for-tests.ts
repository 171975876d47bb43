import type { Severity } from '../entries/severity-code.ts'
import type { Step } from './histories-for-tests.ts'

const batchFrom = (...sources: string[]): Step => ({
  kind: 'batch',
  lines: sources.map((sourceId) => ({ text: 'error', sourceId, offset: 0 })),
})
const deleted = (source: string): Step => ({ kind: 'delete', source })
const graded = (severity: Severity | null): Step => ({ kind: 'grade', which: 0, severity })
const searchAll: Step = { kind: 'search', query: '', filters: {}, order: 'relevance', limit: 1 }
const [again, expire, restart] = [
  { kind: 'again', which: 0 },
  { kind: 'expire' },
  { kind: 'restart' },
] as const satisfies Step[]

/** Shrunk histories for which the engine once differed from the naive engine; the key describes the failure. */
export const foundHistories: Readonly<Record<string, readonly Step[]>> = {
  'an expired duplicate came back with the replay of the batch that brought it again': [
    batchFrom('host:one:unit', 'app'),
    deleted('app'),
    again,
    expire,
    restart,
    searchAll,
    batchFrom('app'),
    expire,
    batchFrom('app'),
    restart,
    searchAll,
    graded('CRITICAL'),
  ],
  'an expired duplicate came back after its source was deleted twice': [
    batchFrom('host:one:unit', 'app'),
    deleted('app'),
    graded('CRITICAL'),
    deleted('app'),
    searchAll,
    again,
    batchFrom('app'),
    expire,
    restart,
    deleted('app'),
    deleted('app'),
    expire,
    batchFrom('app'),
  ],
  'an expired duplicate came back after several restarts': [
    batchFrom('host:one:other', 'app'),
    deleted('app'),
    again,
    restart,
    restart,
    deleted('host:none'),
    expire,
    expire,
    restart,
    restart,
    batchFrom('app'),
    graded('CRITICAL'),
  ],
  'an expired duplicate came back without the severity put in its place': [
    batchFrom('host:one:unit', 'app'),
    deleted('app'),
    again,
    graded('CRITICAL'),
    graded('CRITICAL'),
    graded('CRITICAL'),
    graded('CRITICAL'),
    expire,
    batchFrom('app'),
    restart,
  ],
}
