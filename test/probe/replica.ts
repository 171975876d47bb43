/** A replica of the probe as a process: `replica.ts ADDRESS NAME` prints its address and serves until SIGTERM. */
import { implementation, serveGrpc } from '@trellis/kit/rpc'
import { type CountResponse, ProbeServiceDefinition } from './gen/ts/trellis/probe/v1/probe.ts'
import { createProbeState, probeHandlers } from './handlers.ts'

const [address = '127.0.0.1:0', name = 'replica'] = process.argv.slice(2)
const handlers = probeHandlers(createProbeState())
const server = await serveGrpc(
  [
    implementation(ProbeServiceDefinition, {
      ...handlers,
      /** Returns the name of the replica. */
      guarded: async () => ({ id: name }),
      async *count(request, call): AsyncGenerator<CountResponse> {
        yield { eventId: '', event: null }
        for (let number = Number(request.lastEventId ?? 0) + 1; number <= request.to; number += 1) {
          await new Promise((resolve) => setTimeout(resolve, 5))
          if (call.signal.aborted) return
          yield { eventId: String(number), event: { $case: 'counted', value: { number } } }
        }
        yield { eventId: '', event: { $case: 'done', value: { reason: name } } }
      },
    }),
  ],
  { address, drainMilliseconds: 500 },
)
process.on('SIGTERM', () => {
  void server[Symbol.asyncDispose]().then(() => process.exit(0))
})
process.stdout.write(`${server.address}\n`)
