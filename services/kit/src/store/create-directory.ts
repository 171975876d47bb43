import { access, constants, mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** The data directory cannot be used. The message is for the user who started the process. */
export class DataDirectoryUnusable extends Error {
  override name = 'DataDirectoryUnusable'
}

const remedy = 'Set TRELLIS_DATA_DIR to a directory that this user may write.'

const reasons: Record<string, string> = {
  EACCES: 'is not writable by this user',
  EPERM: 'is not writable by this user',
  EROFS: 'is on a file system that is mounted read-only',
  ENOSPC: 'is on a file system that is full',
  EDQUOT: 'is on a file system whose quota is used up',
  ENAMETOOLONG: 'has a name that is too long',
  ELOOP: 'contains a loop of symbolic links',
}

const unusable = (directory: string, reason: string, cause?: unknown) =>
  new DataDirectoryUnusable(`The data directory ${directory} ${reason}. ${remedy}`, { cause })

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** The nearest existing ancestor, and the directories that are missing below it, outermost first. */
const findExisting = async (directory: string): Promise<{ existing: string; missing: string[] }> => {
  const missing: string[] = []
  for (let path = directory; ; path = dirname(path)) {
    try {
      if ((await stat(path)).isDirectory()) return { existing: path, missing }
      throw unusable(directory, path === directory ? 'is a file' : `cannot be created: ${path} is a file`)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw error
      missing.unshift(path)
    }
  }
}

/**
 * Creates the data directory if it is missing, and checks that it is writable. Throws DataDirectoryUnusable. It creates each level
 * once, because Node's recursive `mkdir` retries for ever where directories vanish, as below /proc.
 */
export const createDataDirectory = async (path: string): Promise<void> => {
  const directory = resolve(path)
  try {
    const { missing } = await findExisting(directory)
    for (const level of missing) {
      await mkdir(level).catch((error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw error
      })
    }
    await access(directory, constants.W_OK | constants.X_OK)
  } catch (error) {
    if (error instanceof DataDirectoryUnusable) throw error
    const code = codeOf(error)
    throw unusable(directory, reasons[code] ?? `cannot be created (${code === '' ? String(error) : code})`, error)
  }
}
