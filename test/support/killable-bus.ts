import type { Bus } from '@trellis/kit/bus'

/** The bus of a simulated process that can be killed: from then on nothing is sent, and nothing is delivered to it. */
export type KillableBus = Bus & {
  /** Simulates SIGKILL: pending calls hang forever. */
  kill: () => void
  /** Makes all hanging calls fail, so that their owner can be disposed. */
  bury: () => void
}

export const killableBus = (bus: Bus): KillableBus => {
  const death = new AbortController()
  const burial = Promise.withResolvers<never>()
  burial.promise.catch(() => undefined)
  const died = new Promise<never>((_, reject) => {
    death.signal.addEventListener('abort', () => void burial.promise.catch(reject), { once: true })
  })
  died.catch(() => undefined)

  /** The outcome of work; never settles if the process has died meanwhile. */
  const whileAlive = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const outcome = outcomeOf(work)
    // The caller may be dead too.
    outcome.catch(() => undefined)
    return outcome
  }
  const outcomeOf = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    if (death.signal.aborted) return died
    try {
      return await Promise.race([work(), died])
    } finally {
      if (death.signal.aborted) await died
    }
  }

  return {
    publish: (...args) => whileAlive(() => bus.publish(...args)),
    subscribe: (topic, options) => {
      const deliveries = bus.subscribe(topic, options)[Symbol.asyncIterator]()
      return { [Symbol.asyncIterator]: () => ({ next: () => whileAlive(() => deliveries.next()) }) }
    },
    lastSequence: (...args) => whileAlive(() => bus.lastSequence(...args)),
    enqueue: (...args) => whileAlive(() => bus.enqueue(...args)),
    work: (queue, handle, options) =>
      bus.work(
        queue,
        (job, handling) =>
          whileAlive(() =>
            handle(job, { signal: handling.signal, working: () => death.signal.aborted || handling.working() }),
          ),
        { ...options, signal: AbortSignal.any([options.signal, death.signal]) },
      ),
    deadLetters: (...args) => whileAlive(() => bus.deadLetters(...args)),
    update: (...args) => whileAlive(() => bus.update(...args)),
    kill: () => death.abort(new Error('The process was killed.')),
    bury: () => {
      death.abort()
      burial.reject(new Error('The process was killed.'))
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
