import { randomBytes } from 'node:crypto'
import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'

const keyBytes = 32

/**
 * The key of a branch's pseudonyms, made at the first call and kept in its data directory, readable by its owner alone. Who removes the file
 * makes all pseudonyms given so far unrelated to those to come.
 */
export const loadPseudonymKey = async (directory: string): Promise<Uint8Array> => {
  const path = join(directory, 'pseudonym-key')
  try {
    const key = await readFile(path)
    if (key.length === keyBytes) return key
    throw new Error(`${path} must hold ${keyBytes} bytes, but has ${key.length}. Restore it from a copy, or remove it.`)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  const key = randomBytes(keyBytes)
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.writeFile(key)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
  return key
}
