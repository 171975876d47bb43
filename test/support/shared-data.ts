import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/**
 * The path of a file or folder of the shared benchmark data, or undefined if it is not beside the checkout. Tests that need it are skipped
 * without it; similar data in the repository covers the same cases.
 */
export const sharedData = (...path: string[]): string | undefined => {
  const found = join(process.env.TRELLIS_SHARED_DATA ?? join(repository, '..', 'shared', 'data'), ...path)
  return existsSync(found) ? found : undefined
}
