import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startDemoMarketplace } from '../../../services/listings/src/marketplace/demo/server.ts'

/** The demo marketplace on this machine, for workers in pods. A test can hold back its answers. */
export type HeldMarketplace = AsyncDisposable & {
  url: string
  /** Makes requests wait; workers time out after 20 s. */
  hold: () => void
  /** Answers all waiting and future requests. */
  release: () => void
  /** Number of waiting requests. */
  readonly waiting: number
}

export const startHeldMarketplace = async (host: string): Promise<HeldMarketplace> => {
  const demo = await startDemoMarketplace()
  const held = new Set<() => void>()
  let isHeld = false
  const untilReleased = async () => {
    if (!isHeld) return
    await new Promise<void>((resolve) => held.add(resolve))
  }
  const server = createServer(async (incoming, answer) => {
    await untilReleased()
    const { method, headers, url = '/' } = incoming
    const outgoing = request(new URL(url, demo.url), { method: method ?? 'GET', headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    outgoing.on('error', (error) => answer.destroy(error))
    incoming.pipe(outgoing)
  })
  server.listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const release = () => {
    isHeld = false
    for (const resolve of held) resolve()
    held.clear()
  }
  return {
    url: `http://${host}:${port}`,
    hold: () => {
      isHeld = true
    },
    release,
    get waiting() {
      return held.size
    },
    [Symbol.asyncDispose]: async () => {
      release()
      server.close()
      server.closeAllConnections()
      await demo.close()
    },
  }
}
