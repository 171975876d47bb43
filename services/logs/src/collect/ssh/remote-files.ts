import { posix } from 'node:path'
import { messageOf } from '@trellis/kit/errors'
import type { FileEntryWithStats, SFTPWrapper, Stats } from 'ssh2'
import { CommandFailed, outputOf, type RunCommand } from '../command.ts'
import { SshFailure } from './ssh-failure.ts'

/** A file or folder on the remote host. `modifiedAt` is in seconds of the epoch. */
export type RemoteEntry = { name: string; kind: 'file' | 'folder'; size: number; modifiedAt: number }

/** Files of a remote host. Throws SshFailure with the reason `remote` for a failure that concerns one file or folder. */
export type RemoteFiles = AsyncDisposable & {
  /** The files and folders in a folder; links are followed, and other types are skipped. */
  list: (folder: string, signal: AbortSignal) => Promise<RemoteEntry[]>
  /** The status of one file or folder; links are followed. */
  stat: (path: string, signal: AbortSignal) => Promise<RemoteEntry>
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

const settled = <Value>(request: (done: (error: Error | undefined | null, value: Value) => void) => unknown) =>
  new Promise<Value>((resolve, reject) => {
    request((error, value) => (error ? reject(error) : resolve(value)))
  })

/** Failures of the connection are passed on; others concern the file. */
const about = (path: string, error: unknown): SshFailure => {
  if (error instanceof SshFailure) return error
  const message = messageOf(error)
  const isGone = /no response|not connected|channel|closed|ended/i.test(message)
  if (isGone) return new SshFailure('unreachable', 'The connection was lost.', { cause: error })
  return new SshFailure('remote', `${path} cannot be read: ${message}.`, { cause: error })
}

/** Uses SFTP. `answered` waits for a response, and throws after a timeout. */
export const createSftpFiles = (
  sftp: SFTPWrapper,
  answered: <Answer>(answer: Promise<Answer>) => Promise<Answer>,
): RemoteFiles => {
  let isClosed = false
  const closed = new Promise<void>((resolve) => sftp.once('close', () => resolve()))
  void closed.then(() => {
    isClosed = true
  })
  sftp.on('error', () => undefined)
  const request = async <Value>(path: string, send: Parameters<typeof settled<Value>>[0]): Promise<Value> => {
    if (isClosed) throw new SshFailure('unreachable', 'The connection was lost.')
    const broken = closed.then((): never => {
      throw new SshFailure('unreachable', 'The connection was lost.')
    })
    try {
      return await Promise.race([answered(settled(send)), broken])
    } catch (error) {
      throw about(path, error)
    }
  }
  const toEntry = (name: string, { mode, size, mtime }: Stats): RemoteEntry[] => {
    const kind = kinds.get(mode & modeMask)
    return kind === undefined ? [] : [{ name, kind, size, modifiedAt: mtime }]
  }
  return {
    list: async (folder) => {
      const found = await request<FileEntryWithStats[]>(folder, (done) => sftp.readdir(folder, done))
      const entries: RemoteEntry[] = []
      for (const { filename, attrs } of found.slice(0, maxEntries)) {
        const isLink = (attrs.mode & modeMask) === linkMode
        const path = posix.join(folder, filename)
        const stats = isLink
          ? await request<Stats>(path, (done) => sftp.stat(path, done)).catch(() => undefined)
          : attrs
        if (stats) entries.push(...toEntry(filename, stats as Stats))
      }
      return entries
    },
    stat: async (path) => {
      const [entry] = toEntry(posix.basename(path), await request<Stats>(path, (done) => sftp.stat(path, done)))
      if (!entry) throw new SshFailure('remote', `${path} is neither a file nor a folder.`)
      return entry
    },
    async *read(path, { start, end = Number.MAX_SAFE_INTEGER }, signal) {
      const handle = await request<Buffer>(path, (done) => sftp.open(path, 'r', done))
      const readAt = (position: number) => {
        const length = Math.min(readBytes, end - position)
        const buffer = Buffer.allocUnsafeSlow(length)
        const reading = request<Buffer>(path, (done) =>
          sftp.read(handle, buffer, 0, length, position, (error, count) => {
            // The end of a file is reported as an error.
            const isEnd = error !== undefined && error !== null && 'code' in error && error.code === 1
            done(isEnd ? null : error, buffer.subarray(0, isEnd ? 0 : count))
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

/** Uses programs of the remote host if SFTP is disabled: find, stat and tail. */
export const createCommandFiles = (run: RunCommand): RemoteFiles => {
  const statuses = async (
    words: readonly string[],
    signal: AbortSignal,
  ): Promise<(RemoteEntry & { path: string })[]> => {
    const text = await outputOf(run, words, { signal, maxBytes: maxListBytes }).catch((error: unknown) => {
      throw error instanceof CommandFailed ? new SshFailure('remote', error.message, { cause: error }) : error
    })
    return text
      .toString('utf8')
      .split('\n')
      .flatMap((line) => {
        const [, mode = '', size, modifiedAt, path = ''] = /^([0-9a-f]+) (\d+) (\d+) (.*)$/.exec(line) ?? []
        const kind = kinds.get(Number.parseInt(mode, 16) & modeMask)
        if (kind === undefined) return []
        return [{ path, name: posix.basename(path), kind, size: Number(size), modifiedAt: Number(modifiedAt) }]
      })
  }
  return {
    list: async (folder, signal) => {
      const words = ['find', posix.join(folder, '/'), '-mindepth', '1', '-maxdepth', '1']
      const found = await statuses([...words, '-exec', ...statusCommand, '{}', '+'], signal)
      return found.filter(({ path }) => posix.dirname(path) === posix.join(folder, '.')).slice(0, maxEntries)
    },
    stat: async (path, signal) => {
      const [entry] = await statuses([...statusCommand, '--', path], signal)
      if (!entry) throw new SshFailure('remote', `${path} is neither a file nor a folder.`)
      return entry
    },
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
