import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startDemoMarketplace } from '../../../services/listings/src/marketplace/demo/server.ts'

/** The demo marketplace on this machine, for workers in pods, which answers when the test lets it. */
export type HeldMarketplace = AsyncDisposable & {
  url: string
  /** From now on requests wait; workers give up after 20 s. */
  hold: () => void
  /** All that wait are answered, and all that come. */
  release: () => void
  /** Requests that wait. */
  readonly waiting: number
}

export const startHeldMarketplace = async (host: string): Promise<HeldMarketplace> => {
  const demo = await startDemoMarketplace()
  const held = new Set<() => void>()
  let isHeld = false
  const turn = async () => {
    if (!isHeld) return
    await new Promise<void>((resolve) => held.add(resolve))
  }
  const server = createServer(async (incoming, answer) => {
    await turn()
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
