import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'

type Line = { at: string; text: string; stream?: 'stdout' | 'stderr' }
type ServedContainer = { id: string; name: string; isRunning: boolean; lines: Line[]; followers: Set<ServerResponse> }

/** A frame of a log as Docker and podman send it without a terminal (Docker Engine API, "Attach to a container", stream format). */
const frameOf = ({ at, text, stream = 'stdout' }: Line): Buffer => {
  const bytes = Buffer.from(`${at} ${text}\n`)
  const head = Buffer.alloc(8)
  head[0] = stream === 'stderr' ? 2 : 1
  head.writeUInt32BE(bytes.length, 4)
  return Buffer.concat([head, bytes])
}

/**
 * An engine on a Unix socket that responds as podman 4.3 does, which the tests of the collector use if it is installed. The list has `Id`,
 * `Names` with a slash, `State` and `Labels`. Logs are frames, each line with its time in whole seconds and the offset of its zone. A log that
 * is followed sends its headers at once and ends with the container. For an unknown id the response is 404 with `cause`, `message` and `response`.
 */
export const serveEngine = async () => {
  const folder = await temporaryDirectory()
  const socket = join(folder.path, 'podman.sock')
  const containers = new Map<string, ServedContainer>()
  const refused = new Set<string>()
  const requested: string[] = []
  const json = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://engine')
    requested.push(`${pathname}?${searchParams}`)
    if (pathname === '/containers/json') {
      const list = [...containers.values()].map(({ id, name, isRunning }) => ({
        Id: id,
        Names: [`/${name}`],
        Image: 'localhost/small:1',
        Labels: {},
        State: isRunning ? 'running' : 'exited',
        Status: isRunning ? 'Up 3 seconds' : 'Exited (0) 3 seconds ago',
      }))
      json(response, 200, list)
      return
    }
    const [, id = '', what] = /^\/containers\/([^/]+)\/(json|logs)$/.exec(pathname) ?? []
    const container = containers.get(id)
    if (!container || refused.has(id)) {
      const message = `no container with name or ID "${id}" found: no such container`
      json(response, 404, { cause: 'no such container', message, response: 404 })
      return
    }
    if (what === 'json') {
      json(response, 200, { Id: id, Name: `/${container.name}`, Config: { Tty: false, Labels: {} } })
      return
    }
    const since = Number(searchParams.get('since') ?? 0) * 1_000
    response.writeHead(200).flushHeaders()
    for (const line of container.lines) if (Date.parse(line.at) >= Math.floor(since)) response.write(frameOf(line))
    if (searchParams.get('follow') !== '1' || !container.isRunning) response.end()
    else container.followers.add(response)
  })
  server.listen(socket)
  await once(server, 'listening')
  return {
    socket,
    /** The requests that it received, as paths. */
    requested,
    add: (name: string, isRunning = true): string => {
      const id = Buffer.from(name).toString('hex').padEnd(64, '0')
      containers.set(id, { id, name, isRunning, lines: [], followers: new Set() })
      return id
    },
    write: (id: string, ...lines: Line[]) => {
      const container = containers.get(id)
      container?.lines.push(...lines)
      for (const follower of container?.followers ?? []) for (const line of lines) follower.write(frameOf(line))
    },
    /** Ends the container and the responses that follow it. */
    end: (id: string) => {
      const container = containers.get(id)
      if (!container) return
      container.isRunning = false
      for (const follower of container.followers) follower.end()
      container.followers.clear()
    },
    /** Breaks the connections that follow a container, as a restart of the engine does. */
    breakOff: (id: string) => {
      const followers = containers.get(id)?.followers
      for (const follower of followers ?? []) follower.destroy()
      followers?.clear()
    },
    /** Lists a container, but responds that it does not exist. */
    refuse: (id: string) => refused.add(id),
    followersOf: (id: string): number => containers.get(id)?.followers.size ?? 0,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
      await folder[Symbol.asyncDispose]()
    },
  }
}
