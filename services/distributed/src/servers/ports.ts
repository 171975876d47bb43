import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** A port of 127.0.0.1 that is kept for somebody until it is disposed. */
export type ReservedPort = AsyncDisposable & { port: number }

/** Below what systems give to outgoing connections, any of which could take a port between its choice and its use. */
const lowest = 15_000
const highest = 30_000
const tries = 200

const listenOn = async (port: number): Promise<Server | undefined> => {
  const server = createServer().unref()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  } catch {
    return undefined
  }
}

/** Keeps a free port, so that nobody else who asks in the same way is given it. */
export const reservePort = async (): Promise<ReservedPort> => {
  for (let left = tries; left > 0; left -= 1) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
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
  throw new Error(`No free port was found between ${lowest} and ${highest}.`)
}

/** A port that nobody listened on a moment ago, for what starts at once. */
export const freePort = async (): Promise<number> => {
  await using reserved = await reservePort()
  return reserved.port
}
