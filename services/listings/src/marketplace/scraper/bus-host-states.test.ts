import { type NatsServer, startNatsServer } from '@trellis/distributed/servers'
import { connectNatsBus } from '@trellis/kit/bus'
import { silentLog } from '@trellis/kit/telemetry'
import { natsCommand, natsMissing } from '@trellis/test/support/programs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBusHostStates } from './bus-host-states.ts'
import { createHostGate } from './host-gate.ts'

const signal = new AbortController().signal

describe.skipIf(natsMissing !== undefined)(natsMissing ? `(skipped: ${natsMissing})` : 'workers on NATS', () => {
  let server: NatsServer
  const stack = new AsyncDisposableStack()
  beforeAll(async () => {
    server = stack.use(await startNatsServer({ command: natsCommand }))
  })
  afterAll(() => stack.disposeAsync())

  /** The gate of a worker with its own connection, and the waits of its requests. */
  const openGate = async () => {
    const bus = stack.use(await connectNatsBus({ servers: [server.address], name: 'worker', log: silentLog }))
    const waited: number[] = []
    const gate = createHostGate({
      gapMilliseconds: 1_000,
      hostStates: createBusHostStates(async () => bus),
      clock: () => 50_000,
      sleep: async (milliseconds) => void waited.push(milliseconds),
    })
    return { gate, waited }
  }

  test('share one pace, however many there are', async () => {
    const workers = await Promise.all([openGate(), openGate(), openGate(), openGate()])
    await Promise.all(workers.flatMap(({ gate }) => [1, 2, 3].map(() => gate.enter('site.test', signal))))
    const serialQueue = [0, ...workers.flatMap(({ waited }) => waited)].toSorted((a, b) => a - b)
    expect(serialQueue).toEqual(Array.from({ length: 12 }, (_, index) => index * 1_000))
  })

  test('all pause requests to a site that has refused one of them', async () => {
    const [one, other] = [await openGate(), await openGate()]
    await one.gate.refused('closed.test', 90)
    await expect(other.gate.enter('closed.test', signal)).rejects.toMatchObject({
      reason: 'BreakerOpen',
      retryAfterSeconds: 90,
    })
  })
})
