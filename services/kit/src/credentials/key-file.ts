import { randomBytes } from 'node:crypto'
import { open, readFile, rename } from 'node:fs/promises'

const keyBytes = 32

/**
 * The 32 random bytes in a file, which is made at the first call, readable by its owner alone. Throws where the file holds something else.
 * For one process at a time: two that make it at once may each have read their own.
 */
export const loadKeyFile = async (path: string): Promise<Uint8Array> => {
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
