import { once } from 'node:events'
import { createServer } from 'node:net'

/** A port that is free now, for a server whose address must be known before it starts, or stay when it comes back. */
export const freePort = async (): Promise<string> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('There is no free port.')
  return String(address.port)
}
