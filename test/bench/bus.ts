import { ExecutableMissing, findNatsServer, startNatsServer } from '@trellis/distributed/servers'
import { type Bus, connectNatsBus, createMemoryBus, jsonCodec, queue, topics } from '@trellis/kit/bus'
import { silentLog } from '@trellis/kit/telemetry'
import { round } from './machine.ts'

type Note = { number: number; filler: string }

const keep = { events: 100_000, milliseconds: 600_000 }
const notes = topics({ family: 'bench.notes', ...jsonCodec<Note>(), keep })
const jobs = queue({ name: 'bench-jobs', ...jsonCodec<{ begun: number }>() })
const filler = 'x'.repeat(200)
const publishes = 20_000
const jobCount = 3_000

const perSecond = async (count: number, task: () => Promise<unknown>): Promise<string> => {
  const began = performance.now()
  await task()
  return round((count * 1_000) / (performance.now() - began))
}

/** Publishes from concurrent lanes, each sequentially to its own topic. */
const publish = (bus: Bus, lanes: number) =>
  perSecond(publishes, () =>
    Promise.all(
      Array.from({ length: lanes }, async (_, lane) => {
        const topic = notes(`lanes${lanes}-${lane}`)
        for (let number = 0; number < publishes / lanes; number += 1) await bus.publish(topic, { number, filler })
      }),
    ),
  )

/** Events per second from one connection to readers on another, measured until the last reader has the last event. */
const follow = async (from: Bus, to: Bus, readers: number): Promise<string> => {
  const events = readers === 1 ? publishes : 1_000
  const topic = notes(`readers${readers}`)
  const stop = new AbortController()
  await from.publish(topic, { number: -1, filler })
  const reads = Array.from({ length: readers }, async () => {
    for await (const delivery of to.subscribe(topic, { after: 'start', signal: stop.signal }))
      if (delivery.kind === 'event' && delivery.event.number === events - 1) return
  })
  const figure = await perSecond(events * readers, async () => {
    // A topic preserves the order of calls; 50 concurrent calls keep it busy.
    for (let number = 0; number < events; number += 50) {
      const numbers = Array.from({ length: 50 }, (_, index) => number + index)
      await Promise.all(numbers.map((each) => from.publish(topic, { number: each, filler })))
    }
    await Promise.all(reads)
  })
  stop.abort()
  return figure
}

/** Latency from the call of enqueue to the handler, with one job in flight at a time. */
const work = async (from: Bus, to: Bus): Promise<string> => {
  const stop = new AbortController()
  const times: number[] = []
  let done: () => void = () => undefined
  const handle = async ({ value }: { value: { begun: number } }) => {
    times.push(performance.now() - value.begun)
    done()
  }
  const working = to.work(jobs, handle, { concurrency: 4, signal: stop.signal })
  for (let count = 0; count < jobCount; count += 1) {
    const { promise, resolve } = Promise.withResolvers<void>()
    done = resolve
    await from.enqueue(jobs, { begun: performance.now() })
    await promise
  }
  stop.abort()
  await working
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => round(sorted[Math.floor(sorted.length * share)] ?? Number.NaN, 2)
  return `${at(0.5)} ms at the median, ${at(0.99)} ms at the 99th percentile`
}

const measure = async (name: string, from: Bus, to: Bus): Promise<string[]> => [
  `${name}, events of ${filler.length} bytes:`,
  `  acknowledged events a second: ${await publish(from, 1)} one by one, ${await publish(from, 64)} with 64 under way`,
  `  events read a second: ${await follow(from, to, 1)} by 1 reader, ${await follow(from, to, 1_000)} by 1,000`,
  `  from enqueue to the handler: ${await work(from, to)}`,
]

const onNats = async (): Promise<string[]> => {
  await using server = await startNatsServer({ command: findNatsServer(process.env) })
  const options = { servers: [server.address], log: silentLog }
  await using from = await connectNatsBus({ ...options, name: 'from' })
  await using to = await connectNatsBus({ ...options, name: 'to' })
  return await measure('on NATS, one server on files, two connections of one process', from, to)
}

/** Measures events and jobs on each bus over loopback. */
export const benchBus = async (): Promise<string[]> => {
  const memory = createMemoryBus()
  const lines = await measure('in memory', memory, memory)
  try {
    return [...lines, ...(await onNats())]
  } catch (error) {
    if (error instanceof ExecutableMissing) return [...lines, `on NATS: not measured: ${error.message}`]
    throw error
  }
}
