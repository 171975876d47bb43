import { isServiceError } from '@trellis/kit/errors'
import type { Files } from '@trellis/kit/files'
import { isAllocationFailure } from './allocate.ts'
import { SegmentCorrupt } from './segment-layout.ts'

/** Errors that persist when the read is repeated: of the medium, or because something else is in the place of the file. */
const damageCodes: ReadonlySet<string> = new Set(['EIO', 'EISDIR', 'EACCES', 'EPERM', 'ELOOP'])
/** Errors of this process or its host, independent of the file: the same read succeeds later. */
const shortageCodes: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'])

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** Whether a read failed for lack of descriptors or memory, which does not depend on the file. */
export const isShortage = (error: unknown): boolean => shortageCodes.has(codeOf(error)) || isAllocationFailure(error)

const problemOf = (error: unknown): string | undefined => {
  if (isServiceError(error, 'not_found')) return 'its file is missing'
  const code = codeOf(error)
  return damageCodes.has(code) ? `its file cannot be read (${code})` : undefined
}

/** Runs one read of a segment. Throws SegmentCorrupt if the file is missing or cannot be read, as for failed checksums. */
export const namingDamage = async <Result>(key: string, read: () => Promise<Result>): Promise<Result> => {
  try {
    return await read()
  } catch (error) {
    const problem = problemOf(error)
    throw problem === undefined ? error : new SegmentCorrupt(key, problem, { cause: error })
  }
}

/** Files whose reads throw like `namingDamage`. */
export const damageNamed = ({ readRange }: Pick<Files, 'readRange'>): Pick<Files, 'readRange'> => ({
  readRange: (key, range) => namingDamage(key, () => readRange(key, range)),
})
