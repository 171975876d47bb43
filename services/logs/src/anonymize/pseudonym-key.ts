import { join } from 'node:path'
import { loadKeyFile } from '@trellis/kit/credentials'

/**
 * The key of a branch's pseudonyms, created by the first call and stored in its data directory. Deleting the file makes later pseudonyms
 * unrelated to earlier ones.
 */
export const loadPseudonymKey = (directory: string): Promise<Uint8Array> =>
  loadKeyFile(join(directory, 'pseudonym-key'))
