import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** A port of 127.0.0.1 that is reserved until its disposal. */
export type ReservedPort = AsyncDisposable & { port: number }

/** Below the ephemeral range, from which an outgoing connection could take a port between its choice and its use. */
const lowest = 15_000
const highest = 30_000
/** Ports per block; a process claims another block when it has used one up. */
const blockSize = 20
const tries = 200

const listenOn = async (port: number): Promise<Server | undefined> => {
  // Connections are closed, because each would otherwise occupy a descriptor for the life of this process.
  const server = createServer((socket) => socket.destroy()).unref()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  } catch {
    return undefined
  }
}

/** Claims a block of ports by listening on its first port for the life of this process; the system releases it with the process. */
const claimBlock = async (): Promise<number> => {
  for (let left = tries; left > 0; left -= 1) {
    const first = lowest + blockSize * Math.floor((Math.random() * (highest - lowest)) / blockSize)
    if (await listenOn(first)) return first
  }
  throw new Error(`No free port was found between ${lowest} and ${highest}.`)
}

/**
 * Yields distinct ports for this process. Blocks prevent two processes from choosing the same free port at random
 * before either listens on it.
 */
const drawPorts = async function* (): AsyncGenerator<number, never> {
  for (;;) {
    const first = await claimBlock()
    for (let port = first + 1; port < first + blockSize; port += 1) yield port
  }
}

const ports = drawPorts()

/** Reserves a free port of 127.0.0.1, exclusively among all processes that use this function. */
export const reservePort = async (): Promise<ReservedPort> => {
  for (;;) {
    const { value: port } = await ports.next()
    const server = await listenOn(port)
    if (!server) continue
    return {
      port,
      [Symbol.asyncDispose]: async () => {
        if (!server.listening) return
        server.close()
        await once(server, 'close')
      },
    }
  }
}

/** A free port for a server that starts at once; exclusive among the callers of these functions for the life of this process. */
export const freePort = async (): Promise<number> => {
  await using reserved = await reservePort()
  return reserved.port
}
