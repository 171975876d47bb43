import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export type DataDirectoryLock = Disposable

/** Another process holds the data directory. The message is for the person who started this one. */
export class DataDirectoryInUse extends Error {
  override name = 'DataDirectoryInUse'
}

/**
 * Takes a data directory for this process alone. The lock is the operating system's, held through an SQLite file, so
 * it is gone the moment the process is, however it ends: there is no stale lock to clear.
 */
export const lockDataDirectory = async (directory: string): Promise<DataDirectoryLock> => {
  await mkdir(directory, { recursive: true })
  const database = new DatabaseSync(join(directory, 'lock.db'), { timeout: 0 })
  try {
    database.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (cause) {
    database.close()
    throw new DataDirectoryInUse(
      `The data directory ${resolve(directory)} is in use by another Trellis. Stop that one, or set TRELLIS_DATA_DIR to another directory.`,
      { cause },
    )
  }
  return { [Symbol.dispose]: () => database.close() }
}
