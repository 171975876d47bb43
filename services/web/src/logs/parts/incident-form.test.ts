import { expect, test } from 'vitest'
import { fromForm, toForm } from './incident-form.ts'

const incident = {
  label: 'Checkout fails',
  started_at: '2026-03-01T09:15:02.123Z',
  ended_at: '2026-03-01T09:45:00.456Z',
  severity: 'ERROR',
  issue_type: null,
  notes: '',
}

test('an incident whose form was not changed stays to the millisecond what it was', () => {
  const form = toForm(incident, 'utc')
  expect(form).toMatchObject({ start: '2026-03-01T09:15:02', end: '2026-03-01T09:45:00', issueType: '' })
  expect(fromForm(form, 'utc', incident)).toEqual(incident)
})

test('a time that was changed is what was typed, and an empty end means that it lasts', () => {
  const form = { ...toForm(incident, 'utc'), start: '2026-03-01T09:00:00', end: '' }
  expect(fromForm(form, 'utc', incident)).toMatchObject({ started_at: '2026-03-01T09:00:00.000Z', ended_at: null })
})

test('a new incident has the times that were typed', () => {
  const form = { ...toForm({ label: 'New', notes: '' }, 'utc'), start: '2026-03-01T09:00:00' }
  expect(fromForm(form, 'utc')).toMatchObject({ started_at: '2026-03-01T09:00:00.000Z', ended_at: null })
})
