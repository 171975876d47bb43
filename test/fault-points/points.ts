/**
 * The calls into which a fault can be injected, and the memory in which the threads of a process share the armed fault and the
 * call counts. Faults are injected below the ports, in their calls of Node: file system and SQLite calls, messages to threads and
 * workers, and in the distributed form writes of `bus`, `store`, `files` and `rpc` to their connections. A point is one call of one
 * function by one thread, numbered from 1 since the last reset.
 */
export const functions = [
  'open',
  'read',
  'write',
  'sync',
  'rename',
  'remove',
  'mkdir',
  'readdir',
  'stat',
  'truncate',
  'sqlite.exec',
  'sqlite.run',
  'sqlite.all',
  // A read of the clock. `error` sets the clock back by an hour, `delay` sets it forward by an hour.
  'clock.now',
  // A message to or from a thread. `error` ends the thread.
  'thread.post',
  // A message to or from a worker process. `error` closes the channel.
  'worker.send',
  // Writes to connections, and calls and answers of gRPC. `error` breaks the connection.
  'bus.write',
  'store.write',
  'files.write',
  'rpc.call',
  'rpc.answer',
] as const
export type FunctionName = (typeof functions)[number]

export const threads = ['main', 'parse-worker', 'index-worker', 'other'] as const
export type ThreadName = (typeof threads)[number]

/** `error`: the call fails like with a full or broken disk or a lost connection. `delay`: it takes long. `kill`: the process crashes. */
export const kinds = ['error', 'delay', 'kill'] as const
export type Kind = (typeof kinds)[number]

/** `call` counts from 1. */
export type Point = { program: string; thread: ThreadName; function: FunctionName; call: number }
export type Fault = Point & { kind: Kind; delayMilliseconds?: number }

/** The file that a process creates before it crashes at its fault, for the control server at a socket. */
export const killMark = (socketPath: string): string => `${socketPath}.killed`

export const nameOfPoint = ({ program, thread, function: name, call }: Point) => `${program}/${thread}/${name}#${call}`

const slots = { kind: 0, remaining: 1, index: 2, fired: 3, delay: 4, clock: 5, counters: 6 } as const

export const sharedBytes = (slots.counters + threads.length * functions.length) * Int32Array.BYTES_PER_ELEMENT

const indexOf = (thread: ThreadName, name: FunctionName) =>
  threads.indexOf(thread) * functions.length + functions.indexOf(name)

/** Call counts and the armed fault, in memory shared by all threads of a process. */
export const createPoints = (memory: SharedArrayBuffer) => {
  const cells = new Int32Array(memory)
  return {
    arm: ({ thread, function: name, call, kind, delayMilliseconds = 0 }: Omit<Fault, 'program'>) => {
      Atomics.store(cells, slots.kind, 0)
      Atomics.store(cells, slots.index, indexOf(thread, name))
      Atomics.store(cells, slots.remaining, call)
      Atomics.store(cells, slots.delay, delayMilliseconds)
      Atomics.store(cells, slots.fired, 0)
      Atomics.store(cells, slots.kind, kinds.indexOf(kind) + 1)
    },
    /** Whether the armed fault was injected. */
    disarm: (): boolean => {
      Atomics.store(cells, slots.kind, 0)
      return Atomics.load(cells, slots.fired) === 1
    },
    /** Milliseconds by which the clock of the process was set forward. */
    clockOffset: (): number => Atomics.load(cells, slots.clock),
    setClock: (offset: number) => void Atomics.store(cells, slots.clock, offset),
    reset: () => {
      Atomics.store(cells, slots.clock, 0)
      for (let index = slots.counters; index < cells.length; index += 1) Atomics.store(cells, index, 0)
    },
    counts: (): Omit<Point, 'program'>[] =>
      threads.flatMap((thread) =>
        functions.flatMap((name) => {
          const call = Atomics.load(cells, slots.counters + indexOf(thread, name))
          return call > 0 ? [{ thread, function: name, call }] : []
        }),
      ),
    /** Counts a call; returns the fault to inject into it, if any. */
    reach: (thread: ThreadName, name: FunctionName): { kind: Kind; delayMilliseconds: number } | undefined => {
      const index = indexOf(thread, name)
      Atomics.add(cells, slots.counters + index, 1)
      const kind = kinds[Atomics.load(cells, slots.kind) - 1]
      if (kind === undefined || Atomics.load(cells, slots.index) !== index) return undefined
      if (Atomics.sub(cells, slots.remaining, 1) !== 1) return undefined
      Atomics.store(cells, slots.fired, 1)
      return { kind, delayMilliseconds: Atomics.load(cells, slots.delay) }
    },
  }
}
export type Points = ReturnType<typeof createPoints>
