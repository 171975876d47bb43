import { expect, test } from 'vitest'
import { draftOf, maxAttached } from './incident-draft.ts'

const entry = (minute: number, severity: string | null, source = 'web-1') => ({
  entry_id: `${source}-${minute}`,
  timestamp_iso: `2026-03-01T09:${String(minute).padStart(2, '0')}:00Z`,
  severity,
  source_id: source,
})

test('an incident of entries spans their times and has the worst of their severities', () => {
  expect(draftOf([entry(20, 'WARN'), entry(10, 'ERROR'), entry(15, null)])).toEqual({
    started_at: '2026-03-01T09:10:00Z',
    ended_at: '2026-03-01T09:20:00Z',
    severity: 'ERROR',
    source_id: 'web-1',
    entry_ids: ['web-1-20', 'web-1-10', 'web-1-15'],
  })
})

test('entries of several sources, or without times and severities, leave these open', () => {
  expect(draftOf([entry(1, 'WARN'), entry(2, 'WARN', 'web-2')]).source_id).toBeUndefined()
  expect(draftOf([{ entry_id: 'a', timestamp_iso: null, severity: null, source_id: 's' }])).toEqual({
    started_at: undefined,
    ended_at: undefined,
    severity: undefined,
    source_id: 's',
    entry_ids: ['a'],
  })
})

test('no more entries are attached than the server takes at once', () => {
  const many = Array.from({ length: maxAttached + 5 }, (_, index) => ({ ...entry(0, null), entry_id: String(index) }))
  expect(draftOf(many).entry_ids).toHaveLength(maxAttached)
})
