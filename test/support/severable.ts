import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A TCP proxy to a local server that can be cut, and can drop the data of one direction. */
export type Severable = AsyncDisposable & {
  address: string
  /** Ends all connections and takes no new ones. */
  cut: () => void
  /** Drops data from the server, and leaves the connections open. */
  mute: () => void
  /** Drops data from clients, and leaves the connections open. */
  deafen: () => void
  /** Number of dropped chunks in both directions. */
  lost: () => number
  /** Passes all data again. */
  mend: () => void
}

/** Starts a proxy to `host:port`. */
export const openSeverable = async (target: string): Promise<Severable> => {
  const [host = '', port] = target.split(':')
  const sockets = new Set<Socket>()
  let state: 'open' | 'muted' | 'deaf' | 'cut' = 'open'
  let lost = 0
  const server = createServer((near) => {
    if (state === 'cut') return near.destroy()
    const far = connect(Number(port), host)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => {
        if (state === (from === near ? 'deaf' : 'muted')) lost += 1
        else to.write(bytes)
      })
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const cut = () => {
    state = 'cut'
    for (const socket of sockets) socket.destroy()
  }
  return {
    address: `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    cut,
    mute: () => {
      state = 'muted'
    },
    deafen: () => {
      state = 'deaf'
    },
    lost: () => lost,
    mend: () => {
      state = 'open'
    },
    [Symbol.asyncDispose]: async () => {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
