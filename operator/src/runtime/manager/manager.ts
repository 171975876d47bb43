import type { Log, Metrics } from '@trellis/kit/telemetry'
import { type Client, guardWrites, type Selection } from '../client/client.ts'
import { type Clock, type Random, systemClock } from '../clock.ts'
import { type Controller, type ControllerOptions, createController } from '../controller/controller.ts'
import { createElection, type ElectionTimes } from '../election/election.ts'
import { createRecorder, type Recorder } from '../events/recorder.ts'
import { type HealthServer, serveHealth } from '../health/health-server.ts'
import type { RuntimeMetrics } from '../metrics.ts'
import type { KubeObject } from '../objects/object.ts'
import type { Resource } from '../objects/resource.ts'
import { createReflector, type Reflector, type ReflectorOptions } from '../reflector/reflector.ts'
import { createStore, type Store, type StoreOptions } from '../store/store.ts'
import { cacheChecks } from './cache-checks.ts'

export type ManagerOptions = {
  /** Names the operator to people, and as the reporter of events. */
  name: string
  client: Client
  log: Log
  metrics: RuntimeMetrics
  /** Served at `/metrics` beside the health. */
  exposed?: Metrics
  /** The namespaces that caches look into where their selection names none; all of them unless told. */
  namespaces?: readonly string[]
  clock?: Clock
  random?: Random
  /** Who of several replicas acts; without it this process always does. Its client must have connections of its own. */
  election?: { client: Client; namespace: string; name: string; identity?: string; times?: ElectionTimes }
  /** Where health is served; not at all unless told. */
  health?: { host: string; port: number }
  /** Milliseconds within which the caches must be filled; 2 minutes unless told. */
  syncLimit?: number
  /** Milliseconds that the reconciles under way have to end when the process is told to; 30 s unless told. */
  drain?: number
}

export type CacheOptions<T extends KubeObject> = Pick<StoreOptions<T>, 'indexes' | 'freeze'> &
  Pick<ReflectorOptions<T>, 'selection' | 'transform' | 'pageSize'>

/** Holds the parts of an operator together. Caches and controllers are declared first; then it runs, once. */
export type Manager = {
  /** For reading, and for writes that are made only while this process leads. */
  client: Client
  /** Notes events about objects. */
  recorder: Recorder
  /** A cache of the objects of a kind, filled once it runs. */
  cache: <T extends KubeObject>(resource: Resource<T>, options?: CacheOptions<T>) => Store<T>
  controller: (
    options: Pick<ControllerOptions, 'name' | 'reconcile' | 'workers' | 'timeout' | 'backoff' | 'resyncAfter'>,
  ) => Controller
  /**
   * Work beside the controllers, done by the one that leads alone, once the caches are filled: what it writes another may
   * write from then on. It must go on until its signal, and end then. Where it fails, so does `run`.
   */
  whileLeading: (work: (signal: AbortSignal) => Promise<void>) => void
  /**
   * Fills the caches, waits to lead, lists once more all that they show, and works until the signal; then stops taking
   * work, lets what is under way end, and lets go of the lease last. Rejects when the caches are not filled in time, and with LeadershipLost: the process must
   * end then, at once, since anything that it still does another may do, too.
   */
  run: (signal: AbortSignal) => Promise<void>
  /** Resolves once the caches are filled, whether this process leads or not. */
  filled: () => Promise<void>
  /** The port of the health server, once it runs. */
  healthPort: () => number | undefined
}

/** Milliseconds that the events which were noted last have to be written. */
const flushLimit = 3_000

export const createManager = (options: ManagerOptions): Manager => {
  const { name, log, metrics, clock = systemClock, random = Math.random, syncLimit = 120_000, drain = 30_000 } = options
  const reflectors: Reflector[] = []
  const controllers: Controller[] = []
  const duties: ((signal: AbortSignal) => Promise<void>)[] = []
  const election = options.election && createElection({ ...options.election, clock, random, log, metrics })
  const client = election ? guardWrites(options.client, election.guard) : options.client
  const instance = election?.identity ?? name
  const recorder = createRecorder({ client, controller: name, instance, clock, log, metrics })
  const filled = Promise.withResolvers<void>()
  let health: HealthServer | undefined

  /** Controllers start only when every cache has synced in time: a partial cache leads to wrong decisions. */
  const sync = async (signal: AbortSignal) => {
    const limit = new AbortController()
    const waiting = clock.sleep(syncLimit, AbortSignal.any([signal, limit.signal])).then(() => {
      const empty = reflectors.filter((reflector) => !reflector.hasSynced()).map((reflector) => reflector.name)
      throw new Error(`The caches were not filled within ${syncLimit / 1_000} s: ${empty.join(', ')}.`)
    })
    try {
      await Promise.race([Promise.all(reflectors.map((reflector) => reflector.synced())), waiting])
    } finally {
      limit.abort()
      await waiting.catch(() => undefined)
    }
  }

  const work = async (signal: AbortSignal) => {
    await Promise.all([
      ...controllers.map((controller) => controller.run(signal, drain)),
      ...duties.map((duty) => duty(signal)),
    ])
  }

  /** Has the caches show all that whoever led before has written: one that waits may have been cut off, and not know it. */
  const catchUp = async (signal: AbortSignal) => {
    const stopped = Promise.withResolvers<void>()
    const stop = () => stopped.resolve()
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    await Promise.race([Promise.all(reflectors.map((reflector) => reflector.refresh())), stopped.promise])
    signal.removeEventListener('abort', stop)
  }

  /** Runs the controllers until the signal. Losing the lease ends the wait for them, not them: the process has to end. */
  const lead = async (signal: AbortSignal) => {
    if (!election) return work(signal)
    const drained = new AbortController()
    const holding = election.hold(drained.signal)
    const working = catchUp(signal).then(() => work(signal))
    try {
      await Promise.race([working, holding.then(() => working)])
    } finally {
      drained.abort()
    }
    // Events are worth a moment, not the lease.
    const given = new AbortController()
    await Promise.race([recorder.flush(), clock.sleep(flushLimit, given.signal).catch(() => undefined)])
    given.abort()
    await holding
    await election.release()
  }

  return {
    client,
    recorder,
    cache: <T extends KubeObject>(resource: Resource<T>, cacheOptions: CacheOptions<T> = {}) => {
      const { indexes, freeze, ...reflected } = cacheOptions
      const onHandlerError = (error: unknown) => log.error({ err: error, cache: resource.plural }, 'a handler threw')
      const store = createStore<T>({
        onHandlerError,
        ...(indexes ? { indexes } : {}),
        ...(freeze === undefined ? {} : { freeze }),
      })
      const taken = reflectors.filter((reflector) => reflector.name.split('#')[0] === resource.plural).length
      const parts = { client: options.client, store, clock, random, log, metrics }
      for (const [at, selection] of selectionsOf(resource, cacheOptions.selection, options.namespaces).entries()) {
        const reflectorName = taken + at === 0 ? resource.plural : `${resource.plural}#${taken + at + 1}`
        reflectors.push(createReflector<T>({ ...reflected, ...selection, ...parts, name: reflectorName, resource }))
      }
      return store
    },
    controller: (controllerOptions) => {
      const controller = createController({ ...controllerOptions, clock, log, metrics })
      controllers.push(controller)
      return controller
    },
    whileLeading: (work) => void duties.push(work),
    run: async (signal) => {
      const stopReflectors = new AbortController()
      const isServed = options.health
      health = isServed && (await serveHealth({ ...isServed, ...cacheChecks(reflectors), ...exposedBy(options) }))
      const reflecting = Promise.all(reflectors.map((reflector) => reflector.run(stopReflectors.signal)))
      try {
        await sync(signal)
        filled.resolve()
        await election?.acquire(signal)
        await lead(signal)
      } catch (error) {
        // Being told to stop while waiting is a way to stop.
        if (!(signal.aborted && error === signal.reason) && !isAbort(error, signal)) throw error
      } finally {
        stopReflectors.abort()
        await reflecting
        await health?.[Symbol.asyncDispose]()
        health = undefined
      }
    },
    filled: () => filled.promise,
    healthPort: () => health?.port,
  }
}

/** What is to be watched for a cache: one watch for each namespace that is looked into, as one may be allowed in each. */
const selectionsOf = (
  { namespaced }: Resource,
  selection: Selection = {},
  namespaces: readonly string[] = [],
): { selection: Selection }[] =>
  !namespaced || selection.namespace !== undefined || namespaces.length === 0
    ? [{ selection }]
    : namespaces.map((namespace) => ({ selection: { ...selection, namespace } }))

const exposedBy = ({ exposed }: ManagerOptions) => (exposed ? { metrics: exposed } : {})

/** Node's timers reject with an error of their own that carries the signal's reason. */
const isAbort = (error: unknown, signal: AbortSignal): boolean =>
  signal.aborted && error instanceof Error && error.name === 'AbortError'
