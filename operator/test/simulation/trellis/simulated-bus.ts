import type { Bus, Delivery, Job, Queue, Topic } from '@trellis/kit/bus'
import { serviceError } from '@trellis/kit/errors'
import type { SimulatedProcess, Simulation } from '../mod.ts'

/** Faults of the bus. Probabilities are per call or delivery. */
export type BusFaults = {
  /** Milliseconds that a message takes: minimum and maximum. */
  delay: readonly [number, number]
  /** The message does not arrive, and its sender gets an error for the missing acknowledgement. */
  lost: number
  /** The message arrives, and its sender gets the same error. */
  answerLost: number
  /** A finished job is delivered again. */
  duplicated: number
}

export const calmBus: BusFaults = { delay: [1, 5], lost: 0, answerLost: 0, duplicated: 0 }
/** An outage of the server: nothing arrives, and every sender gets an error. */
export const silentBus: BusFaults = { ...calmBus, lost: 1 }
export const stormyBus: BusFaults = { delay: [1, 300], lost: 0.03, answerLost: 0.03, duplicated: 0.1 }

/** A bus between the processes of a simulation; it outlives them. */
export type SimulatedBus = {
  connect: (process: SimulatedProcess) => Bus
  weather: (faults: BusFaults) => void
  /** Jobs that ran out of deliveries, as `queue: reason`. */
  dead: readonly string[]
}

type Entry = { bytes: Uint8Array; id: string | undefined; deliveries: number }
type Consumer = { process: SimulatedProcess; free: number; hand: (entry: Entry) => void }
type QueueState = { rules: Queue<unknown>; waiting: Entry[]; ids: Set<string>; consumers: Set<Consumer> }
type TopicState = { events: { sequence: number; bytes: Uint8Array }[]; wakers: Set<() => void> }

/** Milliseconds for which a sender waits for an acknowledgement. */
const patience = 5_000

export const createSimulatedBus = (simulation: Simulation): SimulatedBus => {
  const { clock, random } = simulation
  const topics = new Map<string, TopicState>()
  const queues = new Map<string, QueueState>()
  const dead: string[] = []
  let faults = calmBus
  let sequence = 0

  const topicOf = (name: string): TopicState => {
    const held = topics.get(name) ?? { events: [], wakers: new Set() }
    topics.set(name, held)
    return held
  }

  const queueOf = <Value>(queue: Queue<Value>): QueueState => {
    const held = queues.get(queue.name)
    if (held) return held
    const rules = queue as unknown as Queue<unknown>
    const made: QueueState = { rules, waiting: [], ids: new Set(), consumers: new Set() }
    queues.set(queue.name, made)
    return made
  }

  const settle = (state: QueueState, { id }: Entry) => {
    if (id !== undefined) state.ids.delete(id)
  }

  const dispatch = (state: QueueState): void => {
    for (const consumer of state.consumers) if (consumer.process.isDead()) state.consumers.delete(consumer)
    for (const consumer of state.consumers) {
      const entry = consumer.free > 0 ? state.waiting.shift() : undefined
      if (!entry) continue
      consumer.free -= 1
      entry.deliveries += 1
      clock.after(random.between(...faults.delay), () => consumer.hand(entry))
      dispatch(state)
      return
    }
  }

  const offer = (state: QueueState, entry: Entry) => {
    state.waiting.push(entry)
    dispatch(state)
  }

  /** Requeues a failed job after a pause, or drops it after its last delivery. */
  const requeue = (state: QueueState, entry: Entry, reason: string, pause: number) => {
    if (entry.deliveries >= state.rules.maxDeliveries) {
      settle(state, entry)
      dead.push(`${state.rules.name}: ${reason}`)
      return
    }
    clock.after(pause, () => offer(state, entry))
  }

  const pauseAfter = ({ backOffMilliseconds: pauses }: Queue<unknown>, delivery: number): number =>
    pauses[Math.min(delivery, pauses.length) - 1] ?? 0

  const connect = (process: SimulatedProcess): Bus => {
    /** When the last message of this process to a topic arrives; messages to one topic stay in order. */
    const arrivals = new Map<string, number>()

    /** Delivers a message and acknowledges it, unless a fault prevents either. */
    const send = <T>(what: string, carryOut: () => T): Promise<T> =>
      new Promise((resolve, reject) => {
        simulation.step(process)
        const refuse = () =>
          process.clock.after(patience, () => reject(serviceError('unavailable', `${what} was not acknowledged.`)))
        if (random.chance(faults.lost)) return void refuse()
        const arrival = Math.max(arrivals.get(what) ?? 0, clock.monotonic() + random.between(...faults.delay))
        arrivals.set(what, arrival)
        clock.after(arrival - clock.monotonic(), () => {
          const value = carryOut()
          if (random.chance(faults.answerLost)) return void refuse()
          process.clock.after(random.between(...faults.delay), () => {
            simulation.step(process)
            resolve(value)
          })
        })
      })

    const lastSequence: Bus['lastSequence'] = async ({ name }) => topicOf(name).events.at(-1)?.sequence ?? 0

    async function* follow<Event>(
      topic: Topic<Event>,
      { after = 'latest', signal }: { after?: number | 'start' | 'latest'; signal: AbortSignal },
    ): AsyncGenerator<Delivery<Event>> {
      const { events, wakers } = topicOf(topic.name)
      let position = after === 'start' ? 0 : typeof after === 'number' ? after : (events.at(-1)?.sequence ?? 0)
      while (!signal.aborted) {
        const next = events.find((event) => event.sequence > position)
        if (next) {
          position = next.sequence
          await process.clock.sleep(random.between(...faults.delay), signal)
          yield { kind: 'event', sequence: next.sequence, event: topic.decode(next.bytes) }
          continue
        }
        await new Promise<void>((resolve) => {
          const leave = process.heed(signal, resolve)
          wakers.add(() => {
            leave()
            process.deliver(resolve)
          })
        })
      }
    }

    const hand = <Value>(
      state: QueueState,
      consumer: Consumer,
      entry: Entry,
      handle: (job: Job<Value>) => Promise<void>,
    ) => {
      let isSettled = false
      const { acknowledgeWithinMilliseconds } = state.rules
      const once = (something: () => void) => {
        if (isSettled) return
        isSettled = true
        cancelLate()
        something()
      }
      const cancelLate = clock.after(acknowledgeWithinMilliseconds, () =>
        once(() => requeue(state, entry, 'it was not acknowledged in time', 0)),
      )
      const free = () => {
        consumer.free += 1
        dispatch(state)
      }
      process.deliver(() => {
        simulation.step(process)
        handle({ value: state.rules.decode(entry.bytes) as Value, delivery: entry.deliveries }).then(
          () => {
            free()
            if (random.chance(faults.duplicated)) return once(() => requeue(state, entry, 'duplicated', 0))
            once(() => settle(state, entry))
          },
          (error: unknown) => {
            free()
            once(() => requeue(state, entry, String(error), pauseAfter(state.rules, entry.deliveries)))
          },
        )
      })
    }

    return {
      publish: (topic, event) => {
        const bytes = topic.encode(event)
        return send(topic.name, () => {
          sequence += 1
          const { events, wakers } = topicOf(topic.name)
          events.push({ sequence, bytes })
          const waiting = [...wakers]
          wakers.clear()
          for (const wake of waiting) wake()
          return sequence
        })
      },
      subscribe: follow,
      lastSequence,
      enqueue: (queue, value, id) => {
        const state = queueOf(queue)
        const bytes = queue.encode(value)
        return send(queue.name, () => {
          if (id !== undefined && state.ids.has(id)) return false
          if (id !== undefined) state.ids.add(id)
          offer(state, { bytes, id, deliveries: 0 })
          return true
        })
      },
      work: (queue, handle, { concurrency = 1, signal }) =>
        new Promise((resolve) => {
          const state = queueOf(queue)
          const handling = { signal, working: () => undefined }
          const consumer: Consumer = {
            process,
            free: concurrency,
            hand: (entry) => hand(state, consumer, entry, (job: Job<never>) => handle(job, handling)),
          }
          state.consumers.add(consumer)
          dispatch(state)
          const leave = () => {
            state.consumers.delete(consumer)
            resolve()
          }
          if (signal.aborted) leave()
          else process.heed(signal, leave)
        }),
      deadLetters: async () => [],
      update: () => Promise.reject(new Error('The simulated bus does not support update().')),
      [Symbol.asyncDispose]: async () => undefined,
    }
  }

  return {
    connect,
    weather: (next) => {
      faults = next
    },
    dead,
  }
}
