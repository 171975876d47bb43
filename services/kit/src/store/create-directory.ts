import { access, constants, mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** The data directory cannot be used as it is. The message is for the person who started the process. */
export class DataDirectoryUnusable extends Error {
  override name = 'DataDirectoryUnusable'
}

const remedy = 'Set TRELLIS_DATA_DIR to a directory that this user may write.'

const reasons: Record<string, string> = {
  EACCES: 'may not be written by this user',
  EPERM: 'may not be written by this user',
  EROFS: 'is on a file system that is mounted read-only',
  ENOSPC: 'is on a file system that is full',
  EDQUOT: 'is on a file system whose quota is used up',
  ENAMETOOLONG: 'has a name that is too long',
  ELOOP: 'leads through a loop of symbolic links',
}

const unusable = (directory: string, reason: string, cause?: unknown) =>
  new DataDirectoryUnusable(`The data directory ${directory} ${reason}. ${remedy}`, { cause })

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** The nearest directory above that exists, and what is missing below it, outermost first. */
const findExisting = async (directory: string): Promise<{ existing: string; missing: string[] }> => {
  const missing: string[] = []
  for (let path = directory; ; path = dirname(path)) {
    try {
      if ((await stat(path)).isDirectory()) return { existing: path, missing }
      throw unusable(directory, path === directory ? 'is a file' : `cannot be made: ${path} is a file`)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw error
      missing.unshift(path)
    }
  }
}

/**
 * Creates the data directory where it is missing, and checks that it can be written. Throws DataDirectoryUnusable. Node's
 * recursive `mkdir` retries for ever where a directory vanishes as it does below /proc, so each level is made once.
 */
export const createDataDirectory = async (given: string): Promise<void> => {
  const directory = resolve(given)
  try {
    const { missing } = await findExisting(directory)
    for (const path of missing) {
      await mkdir(path).catch((error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw error
      })
    }
    await access(directory, constants.W_OK | constants.X_OK)
  } catch (error) {
    if (error instanceof DataDirectoryUnusable) throw error
    const code = codeOf(error)
    throw unusable(directory, reasons[code] ?? `cannot be made (${code === '' ? String(error) : code})`, error)
  }
}
