import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Log } from '@trellis/kit/telemetry'
import { type UserFormatSet, useFormats } from '../active-formats.ts'
import type { LogFormat } from '../format.ts'
import { type Checker, createChecker } from './checker.ts'
import { isFaulty, readFormat } from './read-format.ts'

/** A file of a user: the format in it, or what is wrong with it. */
export type UserFormatFile = {
  file: string
  name: string | undefined
  description: string | undefined
  format: LogFormat | undefined
  error: string | undefined
}

export type UserFormats = AsyncDisposable & {
  /** What lies in the folder now, in the order of the files' names. Looks again where something has changed. */
  list: () => Promise<readonly UserFormatFile[]>
}

export const formatFileEndings: readonly string[] = ['.yaml', '.yml', '.json']
const maxFiles = 200
const maxFileBytes = 256 * 1024
const lookMilliseconds = 5_000

type FoundFile = { file: string; signature: string; size: number }

/** The formats of a folder that need not be there. */
const findFiles = async (directory: string): Promise<FoundFile[]> => {
  const names = await readdir(directory).catch(() => [])
  const wanted = names.filter((name) => formatFileEndings.includes(extname(name).toLowerCase())).toSorted()
  const found = await Promise.all(
    wanted.slice(0, maxFiles + 1).map(async (file): Promise<FoundFile[]> => {
      const about = await stat(join(directory, file)).catch(() => undefined)
      if (!about?.isFile()) return []
      return [
        { file, size: about.size, signature: `${file} ${about.ino} ${about.size} ${about.mtimeMs} ${about.ctimeMs}` },
      ]
    }),
  )
  return found.flat()
}

/** Reads and checks one file; `earlier` are the formats of those before it. */
export const loadFormatFile = async (
  { directory, file, size }: { directory: string; file: string; size: number },
  earlier: readonly LogFormat[],
  checker: Checker,
): Promise<UserFormatFile> => {
  const faulty = (error: string, name?: string): UserFormatFile => ({
    file,
    name,
    description: undefined,
    format: undefined,
    error,
  })
  if (size > maxFileBytes) return faulty(`${file} is larger than ${maxFileBytes / 1024} KB.`)
  const content = await readFile(join(directory, file), 'utf8').catch((error: unknown) => ({ error }))
  if (typeof content !== 'string') return faulty(`${file} cannot be read: ${String(content.error)}.`)
  const read = readFormat(content, file)
  if (isFaulty(read)) return faulty(read.problem)
  const { format, description } = read
  const { problems } = await checker.check(format, earlier)
  if (problems.length > 0) return faulty(`${file}: ${problems.join('; ')}.`, format.name)
  return { file, name: format.name, description, format, error: undefined }
}

const loadAll = async (directory: string, found: readonly FoundFile[]): Promise<UserFormatFile[]> => {
  await using checker = createChecker()
  const files: UserFormatFile[] = []
  for (const { file, size } of found.slice(0, maxFiles)) {
    const earlier = files.flatMap(({ format }) => (format ? [format] : []))
    files.push(await loadFormatFile({ directory, file, size }, earlier, checker))
  }
  for (const { file } of found.slice(maxFiles)) {
    const error = `There may be ${maxFiles} formats; ${file} and what comes after it are not read.`
    files.push({ file, name: undefined, description: undefined, format: undefined, error })
  }
  return files
}

// A number for each set of this process, whichever folder it came from.
let lastVersion = 0

/**
 * A user's formats from a folder, put to use in this process and looked for anew every few seconds. A file with a mistake is left out, named
 * in the log and in the list; the others count. Resolves when those that are there have been checked.
 */
export const openUserFormats = async ({ directory, log }: { directory: string; log: Log }): Promise<UserFormats> => {
  let signature = ''
  let files: readonly UserFormatFile[] = []
  let looking: Promise<void> | undefined

  const look = async () => {
    const found = await findFiles(directory)
    const now = found.map((file) => file.signature).join('\n')
    if (now === signature) return
    files = await loadAll(directory, found)
    signature = now
    for (const { file, error } of files) if (error !== undefined) log.warn({ file, error }, 'a log format is not used')
    const set: UserFormatSet = {
      version: ++lastVersion,
      formats: files.flatMap(({ format }) => (format ? [format] : [])),
    }
    useFormats(set)
    log.info({ formats: set.formats.map(({ name }) => name) }, 'log formats of the user are in use')
  }
  const lookOnce = () => {
    looking ??= look().finally(() => {
      looking = undefined
    })
    return looking
  }
  await lookOnce()
  const timer = setInterval(
    () => void lookOnce().catch((error: unknown) => log.error({ error }, 'log formats could not be looked for')),
    lookMilliseconds,
  )
  timer.unref()
  return {
    list: async () => {
      await lookOnce()
      return files
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await looking?.catch(() => undefined)
      // Another service of this process may use others by now; what is gone with this one is gone.
      if (files.length > 0) useFormats({ version: ++lastVersion, formats: [] })
    },
  }
}
