import { expect, test } from 'vitest'
import { fromInput, toInput } from './window-inputs.ts'

test('moments survive an input of the browser', () => {
  expect(toInput('2026-03-01T09:15:02Z', 'utc')).toBe('2026-03-01T09:15:02')
  expect(fromInput('2026-03-01T09:15:02', 'utc')).toBe('2026-03-01T09:15:02.000Z')
  expect(fromInput(toInput('2026-03-01T09:15:02Z', 'local'), 'local')).toBe('2026-03-01T09:15:02.000Z')
})
