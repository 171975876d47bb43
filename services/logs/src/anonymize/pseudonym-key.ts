import { join } from 'node:path'
import { loadKeyFile } from '@trellis/kit/credentials'

/**
 * The key of a branch's pseudonyms, made at the first call and kept in its data directory. Who removes the file makes all pseudonyms given so
 * far unrelated to those to come.
 */
export const loadPseudonymKey = (directory: string): Promise<Uint8Array> =>
  loadKeyFile(join(directory, 'pseudonym-key'))
