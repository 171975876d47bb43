import {
  type HealthServer,
  type HealthServerOptions,
  type Log,
  type Metrics,
  serveHealth,
} from '@trellis/kit/telemetry'
import { type Client, guardWrites, type Selection } from '../client/client.ts'
import { type Clock, type Random, systemClock } from '../clock.ts'
import { type Controller, type ControllerOptions, createController } from '../controller/controller.ts'
import { createElection, type ElectionTimes } from '../election/election.ts'
import { createRecorder, type Recorder } from '../events/recorder.ts'
import type { RuntimeMetrics } from '../metrics.ts'
import type { KubeObject } from '../objects/object.ts'
import type { Resource } from '../objects/resource.ts'
import { createReflector, type Reflector, type ReflectorOptions } from '../reflector/reflector.ts'
import { createStore, type Store, type StoreOptions } from '../store/store.ts'
import { cacheChecks } from './cache-checks.ts'
import { namespacesOutOfReach, type PlacedReflector, reflectorsWithinReach } from './reach.ts'

export type ManagerOptions = {
  /** The operator's name, also the reporter of events. */
  name: string
  client: Client
  log: Log
  metrics: RuntimeMetrics
  /** Served at `/metrics` next to the health endpoints. */
  exposed?: Metrics
  /**
   * Namespaces to watch for caches whose selection names none; all by default. The first is that of the operator. If access to a further
   * one is denied, such as after its deletion, the operator continues without it.
   */
  namespaces?: readonly string[]
  clock?: Clock
  random?: Random
  /**
   * Leader election among replicas; without it this process always leads. Its client must have its own connections.
   */
  election?: { client: Client; namespace: string; name: string; identity?: string; times?: ElectionTimes }
  /** Address of the health server; none by default. */
  health?: Pick<HealthServerOptions, 'host' | 'port' | 'hosts'>
  /** Milliseconds within which the caches must be filled; 2 minutes by default. */
  syncLimit?: number
  /** Milliseconds that running reconciles have to finish during shutdown; 30 s by default. */
  drain?: number
}

export type CacheOptions<T extends KubeObject> = Pick<StoreOptions<T>, 'indexes' | 'freeze'> &
  Pick<ReflectorOptions<T>, 'selection' | 'transform' | 'pageSize'> & {
    /**
     * Whether rights in the whole cluster may grant access, too: then it does not show that a namespace is within reach. False by
     * default.
     */
    isGrantedClusterWide?: boolean
  }

/** Wires the parts of an operator together. Declare caches and controllers first, then run it, once. */
export type Manager = {
  /** For reads, and for writes, which are sent only while this process leads. */
  client: Client
  /** Records events about objects. */
  recorder: Recorder
  /** A cache of the objects of a kind, filled once it runs. */
  cache: <T extends KubeObject>(resource: Resource<T>, options?: CacheOptions<T>) => Store<T>
  controller: (
    options: Pick<ControllerOptions, 'name' | 'reconcile' | 'workers' | 'timeout' | 'backoff' | 'resyncAfter'>,
  ) => Controller
  /**
   * Registers work that only the leader does besides the controllers, starting once the caches are filled. It must run
   * until its signal and end then, because another replica may do the same work from then on. If it fails, so does
   * `run`.
   */
  whileLeading: (work: (signal: AbortSignal) => Promise<void>) => void
  /**
   * Fills the caches, waits for leadership, relists every cache and works until the signal; then stops taking work,
   * drains running work and releases the lease last. Rejects if the caches are not filled in time, if a namespace is within reach again,
   * and with LeadershipLost: the process must then exit at once, since another replica may do the same work.
   */
  run: (signal: AbortSignal) => Promise<void>
  /** Resolves once the caches are filled, whether this process leads or not. */
  filled: () => Promise<void>
  /** The port of the health server, once it runs. */
  healthPort: () => number | undefined
}

/** Milliseconds to wait for the last recorded events to be written. */
const flushLimit = 3_000

/** Milliseconds between checks of whether a namespace that is waited for is out of reach. */
const reachChecked = 1_000

export const createManager = (options: ManagerOptions): Manager => {
  const { name, log, metrics, clock = systemClock, random = Math.random, syncLimit = 120_000, drain = 30_000 } = options
  const [, ...further] = options.namespaces ?? []
  const placed: PlacedReflector[] = []
  const controllers: Controller[] = []
  const duties: ((signal: AbortSignal) => Promise<void>)[] = []
  const election = options.election && createElection({ ...options.election, clock, random, log, metrics })
  const client = election ? guardWrites(options.client, election.guard) : options.client
  const instance = election?.identity ?? name
  const recorder = createRecorder({ client, controller: name, instance, clock, log, metrics })
  const filled = Promise.withResolvers<void>()
  const isReadmitted = Promise.withResolvers<never>()
  // It is only awaited while the manager runs.
  isReadmitted.promise.catch(() => undefined)
  let health: HealthServer | undefined

  /** Waits for something of every cache within reach. */
  const forEachCache = async (of: (reflector: Reflector) => Promise<void>, signal: AbortSignal) => {
    const waiting = new Set<Reflector>()
    const all = placed.map(async ({ reflector }) => {
      waiting.add(reflector)
      await of(reflector)
      waiting.delete(reflector)
    })
    const withinReach = async () => {
      while (reflectorsWithinReach(placed).some((reflector) => waiting.has(reflector)))
        await clock.sleep(reachChecked, signal)
    }
    await Promise.race([Promise.all(all), withinReach()])
  }

  /** Controllers start only once every cache has synced: a partial cache leads to wrong decisions. */
  const sync = async (signal: AbortSignal) => {
    const limit = new AbortController()
    const limited = AbortSignal.any([signal, limit.signal])
    const waiting = clock.sleep(syncLimit, limited).then(() => {
      const empty = reflectorsWithinReach(placed).filter((reflector) => !reflector.hasSynced())
      const names = empty.map((reflector) => reflector.name)
      throw new Error(`The caches were not filled within ${syncLimit / 1_000} s: ${names.join(', ')}.`)
    })
    const synced = forEachCache((reflector) => reflector.synced(), limited)
    try {
      await Promise.race([synced, waiting])
    } finally {
      limit.abort()
      await Promise.allSettled([waiting, synced])
    }
    const namespaces = [...namespacesOutOfReach(placed)]
    if (namespaces.length > 0)
      log.warn(
        { namespaces },
        'these namespaces do not exist or their Role is missing: their objects are not reconciled',
      )
  }

  const work = async (signal: AbortSignal) => {
    await Promise.all([
      ...controllers.map((controller) => controller.run(signal, drain)),
      ...duties.map((duty) => duty(signal)),
    ])
  }

  /**
   * Brings the caches up to date with the previous leader's writes: a standby may have been disconnected without
   * noticing.
   */
  const catchUp = async (signal: AbortSignal) => {
    const stopped = Promise.withResolvers<void>()
    const stop = () => stopped.resolve()
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    const refreshed = forEachCache((reflector) => reflector.refresh(), signal)
    await Promise.race([refreshed, stopped.promise])
    signal.removeEventListener('abort', stop)
  }

  /**
   * Runs the controllers until the signal. Losing the lease stops waiting for them without stopping them: the process
   * must exit.
   */
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
    // Wait briefly for events, but never at the expense of the lease.
    const flushTimeout = new AbortController()
    await Promise.race([recorder.flush(), clock.sleep(flushLimit, flushTimeout.signal).catch(() => undefined)])
    flushTimeout.abort()
    await holding
    await election.release()
  }

  const begin = async (signal: AbortSignal) => {
    await sync(signal)
    filled.resolve()
    await election?.acquire(signal)
    await lead(signal)
  }

  /** Ends the manager if the namespace was out of reach: its caches fill one after the other, and reconciles need them all. */
  const admit = (namespace: string | undefined) => {
    if (namespace === undefined || !namespacesOutOfReach(placed).has(namespace)) return
    isReadmitted.reject(
      new Error(`The namespace ${namespace} is within reach again: its caches are filled at the next start.`),
    )
  }

  return {
    client,
    recorder,
    cache: <T extends KubeObject>(resource: Resource<T>, cacheOptions: CacheOptions<T> = {}) => {
      const { indexes, freeze, isGrantedClusterWide = false, ...reflected } = cacheOptions
      const { transform } = reflected
      const onHandlerError = (error: unknown) => log.error({ err: error, cache: resource.plural }, 'a handler threw')
      const store = createStore<T>({
        onHandlerError,
        ...(indexes ? { indexes } : {}),
        ...(transform ? { transform } : {}),
        ...(freeze === undefined ? {} : { freeze }),
      })
      const taken = placed.filter(({ reflector }) => reflector.name.split('#')[0] === resource.plural).length
      const parts = { client: options.client, store, clock, random, log, metrics }
      for (const [at, selection] of selectionsOf(resource, cacheOptions.selection, options.namespaces).entries()) {
        const reflectorName = taken + at === 0 ? resource.plural : `${resource.plural}#${taken + at + 1}`
        const dispensable = further.find((namespace) => namespace === selection.selection.namespace)
        const onAdmission = () => admit(isGrantedClusterWide ? undefined : dispensable)
        const own = { ...reflected, ...selection, ...parts, name: reflectorName, resource, onAdmission }
        const reflector = createReflector<T>(own)
        placed.push({ reflector, isGrantedClusterWide, ...(dispensable === undefined ? {} : { dispensable }) })
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
      health = isServed && (await serveHealth({ ...isServed, checks: cacheChecks(placed), ...exposedBy(options) }))
      const reflecting = Promise.all(placed.map(({ reflector }) => reflector.run(stopReflectors.signal)))
      try {
        await Promise.race([begin(signal), isReadmitted.promise])
      } catch (error) {
        // An abort while waiting is a normal shutdown.
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

/** The watches of a cache: one for each configured namespace, since permissions may be granted per namespace. */
const selectionsOf = (
  { namespaced }: Resource,
  selection: Selection = {},
  namespaces: readonly string[] = [],
): { selection: Selection }[] =>
  !namespaced || selection.namespace !== undefined || namespaces.length === 0
    ? [{ selection }]
    : namespaces.map((namespace) => ({ selection: { ...selection, namespace } }))

const exposedBy = ({ exposed }: ManagerOptions) => (exposed ? { metrics: exposed } : {})

/** Node's timers reject with an AbortError whose cause is the signal's reason. */
const isAbort = (error: unknown, signal: AbortSignal): boolean =>
  signal.aborted && error instanceof Error && error.name === 'AbortError'
