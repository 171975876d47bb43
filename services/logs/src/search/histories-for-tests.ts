import fc from 'fast-check'
import type { Severity } from '../entries/severity-code.ts'
import type { Filters } from './filters.ts'

const words = ['error', 'disk', 'Kernel', 'panic', 'user', 'a1', 'b22', 'über', '日本', '東日本語x', '本', '❌', 'x']
const anyText = fc
  .array(fc.constantFrom(...words, '10.0.0.1', '--', 'failed'), { minLength: 1, maxLength: 12 })
  .map((parts) => parts.join(' '))
const anyLine = fc.record({
  text: anyText,
  sourceId: fc.constantFrom<string>('app', 'host:one:unit', 'host:one:other'),
  offset: fc.integer({ min: 0, max: 50 }),
})
const anyQuery = fc.constantFrom(
  '',
  'error',
  'kernel panic',
  'disk OR über',
  '"kernel panic"',
  'ker*',
  'error -disk',
  '-error',
  '"error disk" user',
  '10.0.0.1',
  '日本',
  '日本語',
  '本 error',
  '"panic 日本"',
  '-日 disk',
  '❌ OR 語',
  'a1 OR b22 error',
  '"unclosed',
  'OR',
  '"panic ker"*',
  '-"kernel panic" kernel',
  '-"error disk"',
  'disk OR "kernel panic" OR 10.0.0.1',
  'ker* -"disk user" -"a1 b22"',
  '"failed x" OR "x failed" -10.0.0.1',
  'nothing',
  'error OR disk OR kernel OR user OR x OR failed',
  'error OR disk OR kernel -user',
  'failed x',
  '***',
)
export const everyFilters: readonly Filters[] = [
  {},
  { source: 'app' },
  { source: 'host:one' },
  { since: 1_000_020_000 },
  { until: 1_000_020_000 },
  { severities: ['ERROR', 'CRITICAL'] },
  { severities: [null] },
  { severities: [null, 'WARN'], source: 'app' },
  { source: 'host:one:unit', since: 1_000_010_000, until: 1_000_040_000 },
  { source: 'host:one', until: 1_000_040_000, severities: ['ERROR', null] },
]
const anyFilters = fc.constantFrom(...everyFilters)
export const orders = ['relevance', 'time', 'oldest'] as const
export const anyStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('batch' as const),
      lines: fc.array(anyLine, { minLength: 1, maxLength: 30 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('search' as const),
      query: anyQuery,
      filters: anyFilters,
      order: fc.constantFrom(...orders),
      limit: fc.integer({ min: 1, max: 20 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'flush' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('again' as const), which: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('delete' as const),
      source: fc.constantFrom<string>('app', 'host:one', 'host:one:unit', 'host:none'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('grade' as const),
      which: fc.nat(),
      severity: fc.constantFrom<Severity | null>('CRITICAL', 'ERROR', 'WARN', null),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'expire' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'maintain' as const }) },
)

export type Step = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never

export const anyHistory = fc.array(anyStep, { minLength: 4, maxLength: 20 })
