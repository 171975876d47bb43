import { type Bus, connectNatsBus, jsonCodec, queue, topics } from '@trellis/kit/bus'
import { silentLog } from '@trellis/kit/telemetry'

export type Note = { number: number; filler?: string }

/** Topics and queues shared by the processes of a test. */
export const declarations = (name: string) => ({
  notes: topics({ family: `${name}.notes`, ...jsonCodec<Note>(), keep: { events: 100, milliseconds: 600_000 } }),
  jobs: queue({ name: `${name}-jobs`, ...jsonCodec<Note>(), acknowledgeWithinMilliseconds: 500, maxDeliveries: 5 }),
})

export type Command =
  | { do: 'publish'; name: string; count: number }
  | { do: 'enqueue'; name: string; ids: string[] }
  | { do: 'hang'; name: string }

const never = new AbortController().signal

/** Executes a command; the result is sent to the parent process. */
const execute = async (bus: Bus, command: Command): Promise<unknown> => {
  const { notes, jobs } = declarations(command.name)
  if (command.do === 'publish') {
    for (let number = 0; number < command.count; number += 1) await bus.publish(notes('a'), { number })
    return 'published'
  }
  if (command.do === 'enqueue') return Promise.all(command.ids.map((id) => bus.enqueue(jobs, { number: 0 }, id)))
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
  process.on('message', (command: Command) => {
    void execute(bus, command).then((result) => process.send?.({ result }))
  })
  process.once('disconnect', () => process.exit())
  process.send?.({ result: 'ready' })
}
