import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { invalidField, messageOf, serviceError } from '@trellis/kit/errors'
import { DataDirectoryInUse, lockDataDirectory } from '@trellis/kit/store'
import { isProblem, readSource } from './read-source.ts'
import type { SourceEntry } from './source-entry.ts'
import { maxDocumentBytes, readSourcesDocument, type SourcesDocument, withSources } from './sources-document.ts'

/** The configured sources, independent of where they are stored. */
export type ConfiguredSources = {
  /** The current configuration. Never throws for its content: `problems` lists its mistakes. */
  read: () => Promise<SourcesDocument>
  /**
   * Adds sources in the format of the sources file (`{id, transport, glean_type, path, ...}`), all or none, and returns them as they will be
   * read. Comments are preserved. Throws `invalid` for a source with a mistake, `conflict` for an id that exists or a text that cannot be
   * read, `unavailable` if it cannot be written.
   */
  append: (sources: readonly Record<string, unknown>[]) => Promise<SourceEntry[]>
}

const lockMilliseconds = 10_000
const lockPauseMilliseconds = 50
const maxAppended = 1_000

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** Checks new sources against each other and the existing ones. Throws `invalid` and `conflict`. */
export const checkAppended = (
  { problems, entries, isReadable }: SourcesDocument,
  sources: readonly Record<string, unknown>[],
): SourceEntry[] => {
  if (!isReadable) throw serviceError('conflict', `Fix this before adding sources: ${problems.join(' ')}`)
  if (sources.length > maxAppended)
    throw invalidField(['body', 'sources'], `At most ${maxAppended} sources can be added at once.`)
  const ids = new Set(entries.map(({ id }) => id))
  return sources.map((source, index) => {
    const read = readSource(source)
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

/** Marks a source as added through the API. */
export const asAddedByApi = (source: Record<string, unknown>): Record<string, unknown> => ({
  ...source,
  added_by: 'api',
})

/** Replaces a file atomically (write to a temporary file, sync, rename): readers see the old text or the new one. A link is preserved. */
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

/** The lock belongs to the operating system: it is released when its holder ends. */
const locked = async <Result>(directory: string, work: () => Promise<Result>): Promise<Result> => {
  const deadline = performance.now() + lockMilliseconds
  for (;;) {
    try {
      using _lock = await lockDataDirectory(directory)
      return await work()
    } catch (error) {
      if (!(error instanceof DataDirectoryInUse)) throw error
      if (performance.now() > deadline) {
        throw serviceError('unavailable', 'The sources are being changed by another process.', { retryAfterSeconds: 5 })
      }
    }
    await sleep(lockPauseMilliseconds)
  }
}

/** Sources in a YAML file that administrators also edit. A missing file has no sources. */
export const createSourcesFile = ({
  path,
  lockDirectory,
}: {
  path: string
  /** A folder of the service; all processes that share the file share it. */
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
