import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/**
 * Where a file or folder of the shared measuring data lies, or undefined where it is not beside the checkout.
 * Tests that need it skip themselves by name; everything they cover is covered by look-alikes of our own, too.
 */
export const sharedData = (...path: string[]): string | undefined => {
  const found = join(process.env.TRELLIS_SHARED_DATA ?? join(repository, '..', 'shared', 'data'), ...path)
  return existsSync(found) ? found : undefined
}
