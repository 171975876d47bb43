import { form } from '@trellis/test/support/trellis'
import { type TestFunction, test } from 'vitest'

/**
 * Registers a test of what the browser does by itself, in a file that runs on both forms: it would be the same on both, and runs on the embedded
 * one only.
 */
export const browserTest = (name: string, run: TestFunction): void => {
  if (form === 'embedded') test(name, run)
}
