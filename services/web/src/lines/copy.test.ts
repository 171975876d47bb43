import { expect, test } from 'vitest'
import { copyText } from './copy.ts'

const entry = {
  entry_id: 'e1',
  timestamp_iso: '2026-03-01T09:00:00Z',
  severity: 'ERROR',
  source_id: 'web',
  text: '2026-03-01 ERROR disk full',
  message: 'disk full',
  repeat_count: 1,
}
const bare = { ...entry, timestamp_iso: null, severity: null, text: 'a\n  b', message: '' }

test('copied lines are the text as it was written, or have the time once', () => {
  expect(copyText([entry, bare], 'text')).toBe('2026-03-01 ERROR disk full\na\n  b')
  expect(copyText([entry, bare], 'time')).toBe('2026-03-01T09:00:00Z ERROR web disk full\n- - web a\n  b')
  expect(
    copyText([entry, bare], 'json')
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([entry, bare])
})
