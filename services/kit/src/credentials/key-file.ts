import { randomBytes } from 'node:crypto'
import { open, readFile, rename } from 'node:fs/promises'

const keyBytes = 32

/**
 * Loads 32 random bytes from a file, which the first call creates, readable by its owner only. Throws if the file has another size.
 * Not safe for concurrent creation: two processes may each return their own key.
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
