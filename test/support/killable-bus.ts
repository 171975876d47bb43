import type { Bus } from '@trellis/kit/bus'

/** A bus as one process sees it that can be killed: from then on nothing it says is heard, and nothing comes to it. */
export type KillableBus = Bus & {
  /** What a kill -9 does. What is in hand hangs, as if it were no more. */
  kill: () => void
  /** Lets all that hangs fail, so that its owner can be disposed. */
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

  /** The outcome of work, unless the process has died meanwhile: then there is none. */
  const whileAlive = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const outcome = outcomeOf(work)
    // Whoever asked for it may be dead, too.
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
    publish: (...given) => whileAlive(() => bus.publish(...given)),
    subscribe: (topic, options) => {
      const deliveries = bus.subscribe(topic, options)[Symbol.asyncIterator]()
      return { [Symbol.asyncIterator]: () => ({ next: () => whileAlive(() => deliveries.next()) }) }
    },
    lastSequence: (...given) => whileAlive(() => bus.lastSequence(...given)),
    enqueue: (...given) => whileAlive(() => bus.enqueue(...given)),
    work: (queue, handle, options) =>
      bus.work(
        queue,
        (job, handling) =>
          whileAlive(() =>
            handle(job, { signal: handling.signal, working: () => death.signal.aborted || handling.working() }),
          ),
        { ...options, signal: AbortSignal.any([options.signal, death.signal]) },
      ),
    deadLetters: (...given) => whileAlive(() => bus.deadLetters(...given)),
    update: (...given) => whileAlive(() => bus.update(...given)),
    kill: () => death.abort(new Error('The process was killed.')),
    bury: () => {
      death.abort()
      burial.reject(new Error('The process was killed.'))
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
