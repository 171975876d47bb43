import { posix } from 'node:path'
import { messageOf } from '@trellis/kit/errors'
import { addAbortListener } from '@trellis/kit/lifecycle'
import type { FileEntryWithStats, SFTPWrapper, Stats } from 'ssh2'
import { CommandFailed, outputOf, type RunCommand } from '../command.ts'
import { isSshFailure, SshFailure } from './ssh-failure.ts'

/** A file or folder on the remote host. `modifiedAt` is in seconds of the epoch; `isLink` if it is reached by a link of this name. */
export type RemoteEntry = { name: string; kind: 'file' | 'folder'; size: number; modifiedAt: number; isLink: boolean }

/** Files of a remote host. Throws SshFailure with the reason `remote` for a failure that concerns one file or folder. */
export type RemoteFiles = AsyncDisposable & {
  /** The files and folders in a folder; links are followed, and other types are skipped. */
  list: (folder: string, signal: AbortSignal) => Promise<RemoteEntry[]>
  /** The status of one file or folder; links are followed. */
  stat: (path: string, signal: AbortSignal) => Promise<RemoteEntry>
  /** The path without links. */
  realPath: (path: string, signal: AbortSignal) => Promise<string>
  /** The bytes from `start` to the current end of the file, or to `end`. */
  read: (path: string, range: { start: number; end?: number }, signal: AbortSignal) => AsyncIterable<Buffer>
}

const modeMask = 0o170_000
const kinds = new Map<number, RemoteEntry['kind']>([
  [0o100_000, 'file'],
  [0o040_000, 'folder'],
])
const linkMode = 0o120_000
const readBytes = 32 * 1024
/** The number of concurrent read requests, so that throughput does not depend on latency. */
const readsAhead = 16
const maxListBytes = 64 * 1024 * 1024
const maxEntries = 100_000

/** Receives the response to a request. */
type Done<Value> = (error: Error | undefined | null, value: Value) => void

/** Whether the response reports the end of a file or folder, which SFTP does by an error. */
const isEnd = (error: Error | undefined | null): boolean =>
  error !== undefined && error !== null && 'code' in error && error.code === 1

const lost = (cause?: unknown) => new SshFailure('unreachable', 'The connection was lost.', { cause })

/** Failures of the connection are passed on; others concern the file. */
const about = (path: string, error: unknown): SshFailure => {
  if (error instanceof SshFailure) return error
  const message = messageOf(error)
  const isGone = /no response|not connected|channel|closed|ended/i.test(message)
  if (isGone) return lost(error)
  return new SshFailure('remote', `${path} cannot be read: ${message}.`, { cause: error })
}

/** Uses SFTP. `answered` waits for a response, and throws after a timeout. */
export const createSftpFiles = (
  sftp: SFTPWrapper,
  answered: <Answer>(answer: Promise<Answer>) => Promise<Answer>,
): RemoteFiles => {
  let isClosed = false
  /** Rejects the requests without a response. */
  const waiting = new Set<(reason: SshFailure) => void>()
  sftp.once('close', () => {
    isClosed = true
    for (const reject of waiting) reject(lost())
  })
  sftp.on('error', () => undefined)
  const request = async <Value>(
    path: string,
    signal: AbortSignal,
    send: (done: Done<Value>) => unknown,
  ): Promise<Value> => {
    if (isClosed) throw lost()
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Value>()
    waiting.add(reject)
    const unlink = addAbortListener(signal, () => reject(signal.reason))
    try {
      send((error, value) => (error ? reject(error) : resolve(value)))
      return await answered(promise)
    } catch (error) {
      signal.throwIfAborted()
      throw about(path, error)
    } finally {
      unlink()
      waiting.delete(reject)
    }
  }
  /** The entries of a folder, page by page: the time limit is for each response, and the size of the folder is not known. */
  const readFolder = async (folder: string, signal: AbortSignal): Promise<FileEntryWithStats[]> => {
    const handle = await request<Buffer>(folder, signal, (done) => sftp.opendir(folder, done))
    const found: FileEntryWithStats[] = []
    try {
      for (let pages = 0; pages < maxEntries && found.length < maxEntries; pages++) {
        const page = await request<FileEntryWithStats[] | undefined>(folder, signal, (done) =>
          sftp.readdir(handle, (error, entries) => (isEnd(error) ? done(null, undefined) : done(error, entries))),
        )
        if (page === undefined) break
        found.push(...page)
      }
      return found.slice(0, maxEntries)
    } finally {
      if (!isClosed) sftp.close(handle, () => undefined)
    }
  }
  /** For a link whose target is missing. */
  const ignoreOwnFailure = (error: unknown): undefined => {
    if (!isSshFailure(error, 'remote')) throw error
  }
  const toEntry = (name: string, { mode, size, mtime }: Stats, isLink: boolean): RemoteEntry[] => {
    const kind = kinds.get(mode & modeMask)
    return kind === undefined ? [] : [{ name, kind, size, modifiedAt: mtime, isLink }]
  }
  return {
    list: async (folder, signal) => {
      const entries: RemoteEntry[] = []
      for (const { filename, attrs } of await readFolder(folder, signal)) {
        const isLink = (attrs.mode & modeMask) === linkMode
        const path = posix.join(folder, filename)
        const stats = isLink
          ? await request<Stats>(path, signal, (done) => sftp.stat(path, done)).catch(ignoreOwnFailure)
          : attrs
        if (stats) entries.push(...toEntry(filename, stats as Stats, isLink))
      }
      return entries
    },
    stat: async (path, signal) => {
      const stats = await request<Stats>(path, signal, (done) => sftp.stat(path, done))
      const [entry] = toEntry(posix.basename(path), stats, false)
      if (!entry) throw new SshFailure('remote', `${path} is neither a file nor a folder.`)
      return entry
    },
    realPath: (path, signal) => request<string>(path, signal, (done) => sftp.realpath(path, done)),
    async *read(path, { start, end = Number.MAX_SAFE_INTEGER }, signal) {
      const handle = await request<Buffer>(path, signal, (done) => sftp.open(path, 'r', done))
      const readAt = (position: number) => {
        const length = Math.min(readBytes, end - position)
        const buffer = Buffer.allocUnsafeSlow(length)
        const reading = request<Buffer>(path, signal, (done) =>
          sftp.read(handle, buffer, 0, length, position, (error, count) => {
            const isAtEnd = isEnd(error)
            done(isAtEnd ? null : error, buffer.subarray(0, isAtEnd ? 0 : count))
          }),
        )
        reading.catch(() => undefined)
        return { position, length, reading }
      }
      const ahead: ReturnType<typeof readAt>[] = []
      let next = start
      let at = start
      try {
        while (at < end && !signal.aborted) {
          while (ahead.length < readsAhead && next < end) {
            ahead.push(readAt(next))
            next += ahead.at(-1)?.length ?? readBytes
          }
          const first = ahead.shift()
          if (!first) return
          const bytes = await first.reading
          if (bytes.length === 0) return
          at += bytes.length
          yield bytes
          // A response may be short; the requests after it then have wrong positions and are dropped.
          if (bytes.length < first.length) {
            ahead.length = 0
            next = at
          }
        }
      } finally {
        if (!isClosed) sftp.close(handle, () => undefined)
      }
    },
    [Symbol.asyncDispose]: async () => {
      sftp.end()
    },
  }
}

const statusCommand = ['stat', '-L', '-c', '%f %s %Y %n']
/** Skips what `stat` cannot read, such as a link without a target or a file that was just removed; fails if there is no `stat`. */
const skippingFailures = ['sh', '-c', '"$@" 2>/dev/null || [ "$?" -lt 126 ]', 'sh']

/** Uses programs of the remote host if SFTP is disabled: find, stat and tail. */
export const createCommandFiles = (run: RunCommand): RemoteFiles => {
  const textOf = async (words: readonly string[], signal: AbortSignal): Promise<string> => {
    const output = await outputOf(run, words, { signal, maxBytes: maxListBytes }).catch((error: unknown) => {
      throw error instanceof CommandFailed ? new SshFailure('remote', error.message, { cause: error }) : error
    })
    return output.toString('utf8')
  }
  const statuses = async (
    words: readonly string[],
    signal: AbortSignal,
  ): Promise<(Omit<RemoteEntry, 'isLink'> & { path: string })[]> =>
    (await textOf(words, signal)).split('\n').flatMap((line) => {
      const [, mode = '', size, modifiedAt, path = ''] = /^([0-9a-f]+) (\d+) (\d+) (.*)$/.exec(line) ?? []
      const kind = kinds.get(Number.parseInt(mode, 16) & modeMask)
      if (kind === undefined) return []
      return [{ path, name: posix.basename(path), kind, size: Number(size), modifiedAt: Number(modifiedAt) }]
    })
  return {
    list: async (folder, signal) => {
      const words = ['find', posix.join(folder, '/'), '-mindepth', '1', '-maxdepth', '1']
      const links = new Set((await textOf([...words, '-type', 'l'], signal)).split('\n'))
      const found = await statuses([...words, '-exec', ...skippingFailures, ...statusCommand, '{}', '+'], signal)
      return found
        .filter(({ path }) => posix.dirname(path) === posix.join(folder, '.'))
        .slice(0, maxEntries)
        .map(({ path, ...entry }) => ({ ...entry, isLink: links.has(path) }))
    },
    stat: async (path, signal) => {
      const [entry] = await statuses([...statusCommand, '--', path], signal)
      if (!entry) throw new SshFailure('remote', `${path} is neither a file nor a folder.`)
      return { ...entry, isLink: false }
    },
    realPath: async (path, signal) => (await textOf(['readlink', '-f', '--', path], signal)).replace(/\n$/, ''),
    async *read(path, { start, end = Number.MAX_SAFE_INTEGER }, signal) {
      const { output, ended } = await run(['tail', '-c', `+${start + 1}`, '--', path], signal)
      let left = end - start
      for await (const bytes of output) {
        yield bytes.subarray(0, left)
        left -= Math.min(left, bytes.length)
        if (left === 0) return
      }
      const { code, stderr } = await ended
      if (code !== 0 && !signal.aborted) throw new SshFailure('remote', `${path} cannot be read: ${stderr}.`)
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
