import { readFile } from 'node:fs/promises'
import { createEdge, edgeConfig } from '@trellis/edge'
import { connectNatsBus, createMemoryBus, jsonCodec, topics } from '@trellis/kit/bus'
import { readConfig } from '@trellis/kit/config'
import { connectInProcess } from '@trellis/kit/rpc'
import { createMetrics, silentLog } from '@trellis/kit/telemetry'
import { routes } from './gen/edge/routes.ts'
import { ProbeServiceDefinition } from './gen/ts/trellis/probe/v1/probe.ts'
import { createProbeState, probeHandlers } from './handlers.ts'

/** The in-memory bus, or the bus of a NATS server. */
export type BroadcastBus = 'memory' | { nats: string }

const openBus = (over: BroadcastBus) =>
  over === 'memory' ? createMemoryBus() : connectNatsBus({ servers: [over.nats], name: 'broadcast', log: silentLog })

/** Serves a bus topic behind a real edge at `/probe/api/count`. A gap arrives as the event `spelled-out`. */
export const serveBroadcast = async ({ retained, over = 'memory' }: { retained: number; over?: BroadcastBus }) => {
  await using opened = new AsyncDisposableStack()
  const bus = opened.use(await openBus(over))
  const numbers = topics({
    family: 'probe.numbers',
    ...jsonCodec<{ number: number; filler?: string }>(),
    keep: { events: retained, milliseconds: 3_600_000 },
  })('all')
  const handlers = {
    ...probeHandlers(createProbeState()),
    async *count({ lastEventId }: { lastEventId?: string | null | undefined }, { signal }: { signal: AbortSignal }) {
      const after = lastEventId ? Number(lastEventId) : 'latest'
      const deliveries = bus.subscribe(numbers, { after, signal })
      yield { eventId: '', event: null }
      for await (const delivery of deliveries) {
        if (delivery.kind === 'gap')
          yield { eventId: '', event: { $case: 'spelledOut' as const, value: { number: delivery.missed ?? -1 } } }
        else
          yield {
            eventId: String(delivery.sequence),
            event: { $case: 'counted' as const, value: delivery.event },
          }
      }
    },
  }
  const metrics = createMetrics({ processMetrics: false })
  const edge = opened.use(
    await createEdge({
      config: readConfig(edgeConfig, { SHUTDOWN_SECONDS: '1', MAX_STREAMS_PER_ADDRESS: '0' }),
      routes,
      backends: [
        {
          name: 'trellis.probe.v1.ProbeService',
          mount: '/probe',
          heartbeat: 'heartbeat',
          client: connectInProcess(ProbeServiceDefinition, handlers) as never,
        },
      ],
      openapi: JSON.parse(await readFile(new URL('./gen/edge/openapi.json', import.meta.url), 'utf8')),
      missing: () => ({}),
      log: silentLog,
      metrics,
    }),
  )
  const origin = await edge.listen('127.0.0.1', 0)
  const stack = opened.move()
  return {
    origin,
    publish: (number: number, filler?: string) => bus.publish(numbers, { number, ...(filler ? { filler } : {}) }),
    open: edge.openStreams,
    close: () => stack.disposeAsync(),
  }
}

export type Broadcast = Awaited<ReturnType<typeof serveBroadcast>>
