import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { invalidField, messageOf, serviceError } from '@trellis/kit/errors'
import { DataDirectoryInUse, lockDataDirectory } from '@trellis/kit/store'
import { isProblem, readSource } from './read-source.ts'
import type { SourceEntry } from './source-entry.ts'
import { maxDocumentBytes, readSourcesDocument, type SourcesDocument, withSources } from './sources-document.ts'

/** The sources that people have configured, wherever they are written down. */
export type ConfiguredSources = {
  /** What is written now. Never throws for what people wrote: `problems` say what is wrong with it. */
  read: () => Promise<SourcesDocument>
  /**
   * Adds sources as YAML would tell them (`{id, transport, glean_type, path, ...}`), all or none, and gives them as they will be read.
   * Comments stay. Throws `invalid` for a source with a mistake, `conflict` for an id that is there or a text that cannot be read,
   * `unavailable` where it cannot be written.
   */
  append: (sources: readonly Record<string, unknown>[]) => Promise<SourceEntry[]>
}

const lockMilliseconds = 10_000
const lockPauseMilliseconds = 50
const maxAppended = 1_000

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** Checks sources against each other and what is there. Throws `invalid` and `conflict`. */
export const checkAppended = (
  { problems, entries, isReadable }: SourcesDocument,
  sources: readonly Record<string, unknown>[],
): SourceEntry[] => {
  if (!isReadable) throw serviceError('conflict', `Nothing can be added before this is mended: ${problems.join(' ')}`)
  if (sources.length > maxAppended)
    throw invalidField(['body', 'sources'], `At most ${maxAppended} sources can be added at once.`)
  const ids = new Set(entries.map(({ id }) => id))
  return sources.map((given, index) => {
    const read = readSource(given)
    if (isProblem(read)) {
      const key = read.key === undefined ? [] : [read.key]
      const named = [`sources[${index}]`, ...key].join('.')
      throw invalidField(['body', 'sources', index, ...key], `${named} ${read.problem}.`)
    }
    if (ids.has(read.id)) throw serviceError('conflict', `There is a source with the id "${read.id}" already.`)
    ids.add(read.id)
    return read
  })
}

/** As the sources file names what came through the API. */
export const asAddedByApi = (source: Record<string, unknown>): Record<string, unknown> => ({
  ...source,
  added_by: 'api',
})

/** Writes beside, syncs, renames: whoever reads meanwhile sees the old text or the new one. A link stays one. */
const replaceFile = async (path: string, text: string): Promise<void> => {
  const target = await realpath(path).catch(() => path)
  const mode = await stat(target).then(
    ({ mode }) => mode & 0o777,
    () => 0o644,
  )
  const beside = join(dirname(target), `.${basename(target)}.${randomUUID()}`)
  try {
    const handle = await open(beside, 'wx', mode)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(beside, target)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
}

/** The lock is the operating system's: it is gone with its holder. */
const locked = async <Result>(directory: string, work: () => Promise<Result>): Promise<Result> => {
  const giveUpAt = performance.now() + lockMilliseconds
  for (;;) {
    try {
      using _lock = await lockDataDirectory(directory)
      return await work()
    } catch (error) {
      if (!(error instanceof DataDirectoryInUse)) throw error
      if (performance.now() > giveUpAt) {
        throw serviceError('unavailable', 'The sources are being changed by somebody else.', { retryAfterSeconds: 5 })
      }
    }
    await sleep(lockPauseMilliseconds)
  }
}

/** Sources in a YAML file that people edit, too. A file that is not there yet has none. */
export const createSourcesFile = ({
  path,
  lockDirectory,
}: {
  path: string
  /** A folder of ours; those who share the file share it. */
  lockDirectory: string
}): ConfiguredSources => {
  const readText = async (): Promise<string> => {
    try {
      const { size } = await stat(path)
      if (size > maxDocumentBytes) throw new RangeError(`it is larger than ${maxDocumentBytes} bytes`)
      return await readFile(path, 'utf8')
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return ''
      throw error
    }
  }
  const read = async (): Promise<SourcesDocument> => {
    try {
      return readSourcesDocument(await readText(), basename(path))
    } catch (error) {
      const reason = messageOf(error)
      return { entries: [], problems: [`${basename(path)} cannot be read: ${reason}.`], isReadable: false }
    }
  }
  const add = async (sources: readonly Record<string, unknown>[]): Promise<SourceEntry[]> => {
    const added = checkAppended(await read(), sources)
    if (added.length === 0) return added
    try {
      await mkdir(dirname(path), { recursive: true })
      await replaceFile(path, withSources(await readText(), sources.map(asAddedByApi)))
    } catch (cause) {
      throw serviceError('unavailable', `${basename(path)} cannot be written (${codeOf(cause) || 'unknown'}).`, {
        cause,
      })
    }
    return added.map((entry) => ({ ...entry, addedBy: 'api' }))
  }
  return { read, append: (sources) => locked(lockDirectory, () => add(sources)) }
}
