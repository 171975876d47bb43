import { addAbortListener } from '@trellis/kit/lifecycle'
import { openSshConnection, type SshConnection, type SshOptions } from './connection.ts'
import type { SshAddress } from './handshake.ts'

/** A connection that is in use until it is disposed. */
export type BorrowedConnection = Disposable & { connection: SshConnection }

/** Connections to hosts, one for each address and key, shared by all readers. */
export type SshConnections = AsyncDisposable & {
  /** Returns the existing connection, or opens it. Throws SshFailure. */
  borrow: (address: SshAddress, signal: AbortSignal) => Promise<BorrowedConnection>
}

/** How long an unused connection is retained. */
const idleMilliseconds = 30_000

type Shared = { opening: Promise<SshConnection>; users: number; idle?: NodeJS.Timeout }

const nameOf = ({ host, port, user, keyPath }: SshAddress) => JSON.stringify([host, port, user, keyPath])

/** Waits for a shared promise until this caller's signal aborts. */
const unlessAborted = async <Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> => {
  let unlink: () => void = () => undefined
  const aborted = new Promise<never>((_, reject) => {
    unlink = addAbortListener(signal, () => reject(signal.reason))
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    unlink()
  }
}

export const createSshConnections = (options: SshOptions & { idleMilliseconds?: number }): SshConnections => {
  const shared = new Map<string, Shared>()
  const ending = new AbortController()
  const maxIdleMilliseconds = options.idleMilliseconds ?? idleMilliseconds

  const evict = (name: string, entry: Shared) => {
    clearTimeout(entry.idle)
    if (shared.get(name) === entry) shared.delete(name)
  }
  const close = async (name: string, entry: Shared) => {
    evict(name, entry)
    const connection = await entry.opening.catch(() => undefined)
    await connection?.[Symbol.asyncDispose]()
  }
  const open = (name: string, address: SshAddress): Shared => {
    const entry: Shared = { opening: openSshConnection(address, options, { signal: ending.signal }), users: 0 }
    entry.opening.catch(() => evict(name, entry))
    shared.set(name, entry)
    return entry
  }
  return {
    borrow: async (address, signal) => {
      signal.throwIfAborted()
      ending.signal.throwIfAborted()
      const name = nameOf(address)
      const known = shared.get(name)
      const isBroken = known !== undefined && !(await known.opening.then(({ isOpen }) => isOpen).catch(() => false))
      if (known && isBroken) evict(name, known)
      const entry = shared.get(name) ?? open(name, address)
      entry.users += 1
      clearTimeout(entry.idle)
      const release = () => {
        entry.users -= 1
        if (entry.users > 0) return
        entry.idle = setTimeout(() => void close(name, entry), maxIdleMilliseconds).unref()
      }
      try {
        const connection = await unlessAborted(entry.opening, signal)
        return { connection, [Symbol.dispose]: release }
      } catch (error) {
        release()
        throw error
      }
    },
    [Symbol.asyncDispose]: async () => {
      ending.abort(new Error('The log service is ending.'))
      await Promise.all([...shared].map(([name, entry]) => close(name, entry)))
    },
  }
}
