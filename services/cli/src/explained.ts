import { ConfigError } from '@trellis/kit/config'
import { isServiceError } from '@trellis/kit/errors'
import { CommandFailure } from './failure.ts'

export const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code)

/** Failures of the file system that users can do something about. */
const sentences: Readonly<Record<string, (path: string) => string>> = {
  EACCES: (path) => `"${path}" may not be accessed: check its permissions.`,
  EPERM: (path) => `"${path}" may not be accessed: check its permissions.`,
  EROFS: (path) => `"${path}" is on a file system that cannot be written: choose another folder.`,
  ENOSPC: () => 'No space is left on the device: free some, or choose another folder.',
  EDQUOT: () => 'Your quota of the device is used up: free some space, or choose another folder.',
  ENOENT: (path) => `There is no file "${path}".`,
  ENOTDIR: (path) => `"${path}" is not in a folder: a part of its path is a file.`,
  EEXIST: (path) => `"${path}" is a file, but must be a folder.`,
  EISDIR: (path) => `"${path}" is a folder, but must be a file.`,
  ENAMETOOLONG: (path) => `The name "${path}" is too long.`,
}

const sentenceOf = (error: unknown): string | undefined => {
  if (isServiceError(error) || error instanceof ConfigError) return error.message
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const path = 'path' in error ? String(error.path) : ''
  return sentences[String(error.code)]?.(path)
}

/** Converts the failures that users can do something about to CommandFailures. */
export const explained = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work()
  } catch (error) {
    const sentence = sentenceOf(error)
    if (sentence === undefined) throw error
    throw new CommandFailure(sentence, 1, { cause: error })
  }
}
