import { startNatsServer } from '@trellis/distributed/servers'
import { connectNatsBus } from '@trellis/kit/bus'
import { connectGrpc, serveGrpc } from '@trellis/kit/rpc'
import { silentLog } from '@trellis/kit/telemetry'
import { createLocalWorkloads } from '@trellis/kit/workloads'
import { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { describe } from 'vitest'
import { probeWorker } from '../probe/worker-kind.ts'
import { natsCommand, natsMissing } from '../support/programs.ts'
import { workloadsContract } from './ports/workloads.ts'

describe.skipIf(natsMissing)(`in separate processes${natsMissing ? ` (${natsMissing})` : ''}`, () => {
  workloadsContract('requested over gRPC, reporting over NATS', async () => {
    await using opened = new AsyncDisposableStack()
    const nats = opened.use(await startNatsServer({ command: natsCommand }))
    const connect = async (name: string) =>
      opened.use(await connectNatsBus({ servers: [nats.address], name, log: silentLog }))
    const runtime = opened.use(
      createLocalWorkloads({ bus: await connect('runtime'), kinds: { WORKLOAD_SEARCH: probeWorker }, log: silentLog }),
    )
    const security = { secrets: ['secret'] }
    const server = opened.use(await serveGrpc(runtime.implementations, { address: '127.0.0.1:0', security }))
    const { client } = opened.use(connectGrpc(WorkloadsServiceDefinition, server.address, { security }))
    const bus = await connect('service')
    const stack = opened.move()
    return { bus, workloads: client, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  })
})
