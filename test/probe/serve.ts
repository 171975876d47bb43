import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEdge, edgeConfig } from '@trellis/edge'
import { readConfig } from '@trellis/kit/config'
import { connectGrpc, connectInProcess, implementation, serveGrpc } from '@trellis/kit/rpc'
import { createMetrics, silentLog } from '@trellis/kit/telemetry'
import { routes } from './gen/edge/routes.ts'
import { ProbeServiceDefinition } from './gen/ts/trellis/probe/v1/probe.ts'
import { createProbeState, type ProbeState, probeHandlers } from './handlers.ts'

export const transports = ['in process', 'grpc over tcp', 'grpc over a unix socket'] as const
export type Transport = (typeof transports)[number]

const connect = async (transport: Transport, state: ProbeState, stack: AsyncDisposableStack) => {
  const handlers = probeHandlers(state)
  if (transport === 'in process') return connectInProcess(ProbeServiceDefinition, handlers)
  const address =
    transport === 'grpc over tcp'
      ? '127.0.0.1:0'
      : `unix://${join(tmpdir(), `probe-${process.pid}-${Math.random()}.sock`)}`
  const server = stack.use(
    await serveGrpc([implementation(ProbeServiceDefinition, handlers)], { address, drainMilliseconds: 100 }),
  )
  return stack.use(connectGrpc(ProbeServiceDefinition, server.address)).client
}

/** Serves the probe behind a real edge on a free port; `environment` configures the edge. */
export const serveProbe = async (transport: Transport, environment: Record<string, string> = {}) => {
  const stack = new AsyncDisposableStack()
  const state = createProbeState()
  const client = await connect(transport, state, stack)
  const edge = stack.use(
    await createEdge({
      config: readConfig(edgeConfig, { SHUTDOWN_SECONDS: '1', ...environment }),
      routes,
      backends: [
        {
          name: 'trellis.probe.v1.ProbeService',
          mount: '/probe',
          heartbeat: 'keepalive',
          client: client as never,
          isRemote: transport !== 'in process',
        },
      ],
      openapi: JSON.parse(await readFile(new URL('./gen/edge/openapi.json', import.meta.url), 'utf8')),
      missing: () => ({}),
      log: silentLog,
      metrics: createMetrics({ processMetrics: false }),
    }),
  )
  const origin = await edge.listen('127.0.0.1', 0)
  return { origin, client, state, edge, close: () => stack.disposeAsync() }
}
