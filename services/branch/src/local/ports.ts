import { once } from 'node:events'
import { createServer } from 'node:net'

/** Whether a loopback port is free. */
const isFree = async (port: number): Promise<boolean> => {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

const highest = 65_535

/** The first free port from `base` on that no branch has. Throws RangeError if there is none. */
export const nextPort = async (base: number, taken: ReadonlySet<number>): Promise<number> => {
  for (let port = base; port <= highest; port++) if (!taken.has(port) && (await isFree(port))) return port
  throw new RangeError(`No port from ${base} on is free.`)
}
