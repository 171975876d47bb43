import { type Bus, connectNatsBus, jsonCodec, queue, topics } from '@trellis/kit/bus'
import { silentLog } from '@trellis/kit/telemetry'

export type Note = { number: number; filler?: string }

/** Topics and queues shared by the processes of a test. */
export const declarations = (name: string) => ({
  notes: topics({ family: `${name}.notes`, ...jsonCodec<Note>(), keep: { events: 100, milliseconds: 600_000 } }),
  jobs: queue({ name: `${name}-jobs`, ...jsonCodec<Note>(), acknowledgeWithinMilliseconds: 500, maxDeliveries: 5 }),
})

export type Order =
  | { do: 'publish'; name: string; count: number }
  | { do: 'enqueue'; name: string; ids: string[] }
  | { do: 'hang'; name: string }

const never = new AbortController().signal

/** Executes an order; the result is sent to the parent process. */
const carryOut = async (bus: Bus, order: Order): Promise<unknown> => {
  const { notes, jobs } = declarations(order.name)
  if (order.do === 'publish') {
    for (let number = 0; number < order.count; number += 1) await bus.publish(notes('a'), { number })
    return 'published'
  }
  if (order.do === 'enqueue') return Promise.all(order.ids.map((id) => bus.enqueue(jobs, { number: 0 }, id)))
  return new Promise((resolve) => {
    const handle = ({ value }: { value: Note }) => {
      resolve(value.number)
      return new Promise<void>(() => undefined)
    }
    void bus.work(jobs, handle, { signal: never })
  })
}

if (import.meta.main) {
  const bus = await connectNatsBus({ servers: [process.argv[2] ?? ''], name: 'other process', log: silentLog })
  process.on('message', (order: Order) => {
    void carryOut(bus, order).then((result) => process.send?.({ result }))
  })
  process.once('disconnect', () => process.exit())
  process.send?.({ result: 'ready' })
}
