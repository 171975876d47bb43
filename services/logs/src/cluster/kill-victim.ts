import { connectNatsBus, createMemoryBus } from '@trellis/kit/bus'
import { silentLog } from '@trellis/kit/telemetry'
import { batchOf } from '../segments/store-for-tests.ts'
import { numbered } from './numbered-lines-for-tests.ts'
import { openReplica, type Shared } from './replicas-for-tests.ts'

/** A replica that takes batches, several at a time, and says of each when it was acknowledged, until it is killed. Run by the tests. */
type PublishedUpdates = Omit<Shared, 'bus'> & {
  nats?: { address: string; prefix: string }
  linesPerBatch: number
  batches: number
  inHand: number
}
const told = JSON.parse(process.argv[2] ?? '{}') as PublishedUpdates
const bus = told.nats
  ? await connectNatsBus({
      servers: [told.nats.address],
      name: 'victim',
      prefix: told.nats.prefix,
      log: silentLog,
    })
  : createMemoryBus()
const { engine } = await openReplica({ bus, files: told.files, store: told.store })
let next = 0
const send = async () => {
  while (next < told.batches) {
    const batch = next++
    await engine.ingest(batchOf(numbered(told.linesPerBatch, batch * told.linesPerBatch)))
    process.stdout.write(`${batch}\n`)
  }
}
await Promise.all(Array.from({ length: told.inHand }, send))
// Not reached when the test does its work; without it a test that does not would wait for ever.
process.exit(0)
