import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** A port of 127.0.0.1 that is kept for somebody until it is disposed. */
export type ReservedPort = AsyncDisposable & { port: number }

/** Below what systems give to outgoing connections, any of which could take a port between its choice and its use. */
const lowest = 15_000
const highest = 30_000
/** Ports a process draws from before it claims further ones. */
const blockSize = 20
const tries = 200

const listenOn = async (port: number): Promise<Server | undefined> => {
  // A connection that nothing serves would take a descriptor for as long as this process lives.
  const server = createServer((socket) => socket.destroy()).unref()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  } catch {
    return undefined
  }
}

/** Claims a block of ports by listening on its first one for as long as this process lives; the system lets go of it with the process. */
const claimBlock = async (): Promise<number> => {
  for (let left = tries; left > 0; left -= 1) {
    const first = lowest + blockSize * Math.floor((Math.random() * (highest - lowest)) / blockSize)
    if (await listenOn(first)) return first
  }
  throw new Error(`No free port was found between ${lowest} and ${highest}.`)
}

/**
 * The ports of this process, none of them twice. Two processes that each looked for a free port at random would now
 * and then be given the same one, as neither listens on it yet when the other looks.
 */
const drawPorts = async function* (): AsyncGenerator<number, never> {
  for (;;) {
    const first = await claimBlock()
    for (let port = first + 1; port < first + blockSize; port += 1) yield port
  }
}

const ports = drawPorts()

/** Keeps a free port of 127.0.0.1 that nobody else is given who asks in the same way, in this process or another. */
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

/** A port that nobody listens on, for what starts at once; while this process lives nobody else is given it who asks in the same way. */
export const freePort = async (): Promise<number> => {
  await using reserved = await reservePort()
  return reserved.port
}
