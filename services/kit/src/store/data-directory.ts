import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createDataDirectory, DataDirectoryUnusable } from './create-directory.ts'

export type DataDirectoryLock = Disposable

/** Another process holds the data directory. The message is for the user who started this one. */
export class DataDirectoryInUse extends Error {
  override name = 'DataDirectoryInUse'
}

const openLockFile = (directory: string): DatabaseSync => {
  const path = join(directory, 'lock.db')
  try {
    return new DatabaseSync(path, { timeout: 0 })
  } catch (cause) {
    throw new DataDirectoryUnusable(
      `${resolve(path)} cannot be opened by this user. Change its owner, or set TRELLIS_DATA_DIR to another directory.`,
      { cause },
    )
  }
}

/**
 * Locks a data directory for this process. The operating system holds the lock, through an SQLite file, and releases
 * it when the process ends in any way, so there are no stale locks.
 */
export const lockDataDirectory = async (directory: string): Promise<DataDirectoryLock> => {
  await createDataDirectory(directory)
  const database = openLockFile(directory)
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
