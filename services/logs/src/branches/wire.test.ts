import { BranchSearchRequest, BranchSearchResponse } from '@trellis/protos/ts/trellis/logs/v1/branch.ts'
import { expect, test } from 'vitest'
import type { StoredEntry } from '../entries/entry.ts'
import { parseQuery } from '../search/query.ts'
import type { SearchRequest, SearchResult } from '../search/search.ts'
import { requestFrom, requestTo, resultFrom, resultTo } from './wire.ts'

const throughRequest = (request: SearchRequest): SearchRequest =>
  requestFrom(BranchSearchRequest.decode(BranchSearchRequest.encode(requestTo(request)).finish()))
const throughResponse = (result: SearchResult): SearchResult =>
  resultFrom(BranchSearchResponse.decode(BranchSearchResponse.encode(resultTo(result)).finish()))

const rank = { score: 1.25, time: 1_700_000_000_123.5, sequence: 2 ** 52, key: 0xffffffff }

test('a request is equal after encoding and decoding', () => {
  const whole: SearchRequest = {
    query: parseQuery('pump* "out of memory" OR broken -fine'),
    filters: {
      source: 'ssh:garden',
      severities: ['CRITICAL', 'WARN', null],
      since: -5,
      until: 10,
      pattern: 'oom',
      anyPattern: [],
      tenant: 't',
      branch: 'none',
    },
    limit: 3,
    order: 'relevance',
    withFacets: true,
    after: { ...rank, key: 12.5 },
    statistics: { documents: 7, words: 70, frequencies: new Map([['pump*', 3]]) },
  }
  expect(throughRequest(whole)).toEqual(whole)
  const bare: SearchRequest = { query: null, filters: {}, limit: 1, order: 'oldest', withFacets: false }
  expect(throughRequest(bare)).toEqual(bare)
})

test('a response is equal after encoding and decoding', () => {
  const entry: StoredEntry = {
    entryId: 'f'.repeat(32),
    origin: { sourceId: 's', branch: 'garden', tenantId: null, format: 'plain', anonymized: true },
    sequence: 2 ** 52,
    time: 0,
    ingestTime: 1_700_000_000_000,
    effectiveTime: -1,
    severity: 'ERROR',
    repeatCount: 4,
    text: 'zwölf 🌱\nlines',
    truncated: true,
    outOfOrder: true,
    matchedPatterns: ['oom'],
    templateId: '3f0c21b7a9e41d52',
    sender: { entryId: 'mine', fields: { a: [1, null] } },
  }
  const bare: StoredEntry = {
    ...entry,
    time: null,
    severity: null,
    sender: null,
    origin: { sourceId: 's', branch: null, tenantId: 't', format: 'x' },
  }
  const whole: SearchResult = {
    entries: [
      { entry, score: 0.5 },
      { entry: bare, score: 0 },
    ],
    total: 2,
    totalIsExact: false,
    facets: {
      severity: [
        { value: 'ERROR', count: 1 },
        { value: null, count: 1 },
      ],
      source: [{ value: 's', count: 2 }],
      pattern: [],
      domain: [{ value: 'memory', count: 1 }],
    },
    histogram: {
      start: -1_000,
      bucketSeconds: 1,
      counts: [0, 3],
      bySeverity: [
        [0, 0],
        [0, 1],
        [0, 0],
      ],
    },
    next: rank,
  }
  expect(throughResponse(whole)).toEqual(whole)
  const none: SearchResult = { entries: [], total: 0, totalIsExact: true, facets: null, histogram: null, next: null }
  expect(throughResponse(none)).toEqual(none)
})
