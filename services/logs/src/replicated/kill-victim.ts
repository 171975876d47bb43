import { connectNatsBus, createMemoryBus } from '@trellis/kit/bus'
import { silentLog } from '@trellis/kit/telemetry'
import { batchOf } from '../segments/store-for-tests.ts'
import { numbered } from './numbered-lines-for-tests.ts'
import { openReplica, type Shared } from './replicas-for-tests.ts'

/** A replica that ingests batches concurrently and prints each acknowledged one, until it is killed. Run by the tests. */
type VictimOptions = Omit<Shared, 'bus'> & {
  nats?: { address: string; prefix: string }
  linesPerBatch: number
  batches: number
  inHand: number
}
const options = JSON.parse(process.argv[2] ?? '{}') as VictimOptions
const bus = options.nats
  ? await connectNatsBus({
      servers: [options.nats.address],
      name: 'victim',
      prefix: options.nats.prefix,
      log: silentLog,
    })
  : createMemoryBus()
const { engine } = await openReplica({ bus, files: options.files, store: options.store })
let next = 0
const send = async () => {
  while (next < options.batches) {
    const batch = next++
    await engine.ingest(batchOf(numbered(options.linesPerBatch, batch * options.linesPerBatch)))
    process.stdout.write(`${batch}\n`)
  }
}
await Promise.all(Array.from({ length: options.inHand }, send))
// Reached only if the test fails to kill this process; without it such a test would wait for ever.
process.exit(0)
