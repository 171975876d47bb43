import { propertyRuns, propertyTimeout } from '@trellis/test/support/property-runs'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { foundHistories } from './found-histories-for-tests.ts'
import { anyHistory } from './histories-for-tests.ts'
import { runHistory } from './run-history-for-tests.ts'

describe('the engine returns the results of a naive one', () => {
  test.each(Object.keys(foundHistories))('although once %s', (what) => runHistory(foundHistories[what] ?? []))

  test(
    'after any history of changes, restarts and repeats',
    () => fc.assert(fc.asyncProperty(anyHistory, runHistory), { ...propertyRuns(40), endOnFailure: true }),
    propertyTimeout(240_000),
  )
})
