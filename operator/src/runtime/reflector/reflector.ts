import { type BackoffOptions, createBackoff } from '@trellis/kit/retry'
import type { Log } from '@trellis/kit/telemetry'
import { ApiError, ConnectionError, isExpired, type Status } from '../client/api-error.ts'
import type { Client, Selection, WatchEvent } from '../client/client.ts'
import { MalformedEvent } from '../client/watch-stream.ts'
import type { Clock, Random } from '../clock.ts'
import type { RuntimeMetrics } from '../metrics.ts'
import { compareVersions, type KubeObject, withoutManagedFields } from '../objects/object.ts'
import type { Resource } from '../objects/resource.ts'
import type { StoreWriter } from '../store/store.ts'
import { listPages } from './list-pages.ts'

export type ReflectorOptions<T extends KubeObject> = {
  name: string
  client: Client
  resource: Resource<T>
  selection?: Selection
  store: StoreWriter<T>
  /**
   * Reduces an object before it is stored; drops `managedFields` by default. The identifying metadata and version must
   * remain.
   */
  transform?: (object: T) => T
  clock: Clock
  random: Random
  log: Log
  metrics: RuntimeMetrics
  /** Objects per page of a list. */
  pageSize?: number
  /**
   * A watch that is silent for this many milliseconds is restarted; the server sends a bookmark about once a minute.
   */
  silenceLimit?: number
  /** Milliseconds between full lists, in case a watch silently lost an event. */
  relistAfter?: number
  backoff?: BackoffOptions
  /** Failures that are expected: they are counted, and logged at debug level only. None by default. */
  isExpectedFailure?: (error: unknown) => boolean
  /** Called when the server grants access that it denied (403), before the store changes and `deniedFor` is 0. */
  onAdmission?: () => void
}

/** Mirrors the server's objects into a store: lists, then watches, and restarts after any failure. */
export type Reflector = {
  readonly name: string
  /** Runs until the signal; never rejects. */
  run: (signal: AbortSignal) => Promise<void>
  hasSynced: () => boolean
  /** Resolves once the first list is in the store. */
  synced: () => Promise<void>
  /**
   * Lists again at once; resolves once the store shows everything that the server had when this was called. Only while
   * running.
   */
  refresh: () => Promise<void>
  /** Milliseconds since the loop's last iteration, successful or not: if this grows, the process is broken. */
  sinceTurn: () => number
  /** Milliseconds since the server last sent anything: if this grows, the store falls behind. */
  sinceContact: () => number
  /** Milliseconds since the server first denied access (403); 0 while it grants it. */
  deniedFor: () => number
}

/** The backoff of client-go: from 0.8 s to 30 s, and up to as much again at random. */
const defaultBackoff: BackoffOptions = { initial: 1_600, max: 60_000, jitter: 0.5 }

/** A watch that ends sooner than this, in milliseconds, without an event is a failure. */
const shortWatch = 1_000

/** The server ends a watch after a random time in this range, so that many watches do not end at once. Seconds. */
const watchSeconds = { min: 300, max: 600 }

/** Default maximum silence of a watch; a loop that stalls for longer is broken. */
const silenceByDefault = 150_000

/** Maximum server-requested delay that is honoured, in milliseconds. */
const longestRest = 120_000

class WatchSilent extends Error {
  override name = 'WatchSilent'
}

class Refreshing extends Error {
  override name = 'Refreshing'
}

class WatchTooShort extends Error {
  override name = 'WatchTooShort'
}

const causeOf = (error: unknown): string => {
  if (isExpired(error)) return 'expired'
  if (error instanceof ApiError) {
    if (error.status === 429) return 'throttled'
    return error.status >= 500 ? 'server' : 'refused'
  }
  if (error instanceof MalformedEvent) return 'malformed'
  if (error instanceof WatchSilent) return 'silent'
  if (error instanceof WatchTooShort) return 'short'
  return error instanceof ConnectionError ? 'connection' : 'broken'
}

const errorOf = (status: unknown): ApiError => {
  const { code = 500 } = status as Status
  return new ApiError(code, status as Status)
}

const checked = <T extends KubeObject>(object: T): T => {
  const { name, uid, resourceVersion } = object.metadata ?? {}
  if (name && uid && resourceVersion) return object
  throw new MalformedEvent('A watch event holds an object without name, uid or resourceVersion.')
}

export const createReflector = <T extends KubeObject>(options: ReflectorOptions<T>): Reflector => {
  const { name, client, resource, selection = {}, store, clock, random, metrics } = options
  const { pageSize = 500, silenceLimit = silenceByDefault, relistAfter = 3_600_000 } = options
  const { isExpectedFailure = () => false, onAdmission = () => undefined } = options
  const transform = options.transform ?? withoutManagedFields
  const log = options.log.child({ reflector: name })
  const backoff = createBackoff(options.backoff ?? defaultBackoff, random)
  const synced = Promise.withResolvers<void>()
  let hasSynced = false
  let lastTurn = clock.monotonic()
  let lastContact = clock.monotonic()
  let listedAt = 0
  /** Since when the server denies access. */
  let deniedSince: number | undefined
  /** Version from which the next watch resumes; undefined if a list must come first. */
  let version: string | undefined
  /** Resolves once the store holds a list that was started after the refresh was requested. */
  let refreshed: PromiseWithResolvers<void> | undefined
  /** Interrupts the current list, watch or delay so that the loop starts over. */
  let interruption = new AbortController()

  const instruments = metrics.reflector(name, () => ({
    name,
    objects: store.size,
    secondsSinceSign: (clock.monotonic() - lastContact) / 1_000,
  }))

  const sign = () => {
    lastContact = clock.monotonic()
    lastTurn = lastContact
  }

  const advance = (to: string) => {
    if (version === undefined || compareVersions(to, version) > 0) version = to
  }

  const admit = () => {
    if (deniedSince === undefined) return
    onAdmission()
    deniedSince = undefined
  }

  const list = async (signal: AbortSignal) => {
    instruments.listed()
    const listed = await listPages(client, resource, { ...selection, limit: pageSize, signal }, sign)
    signal.throwIfAborted()
    admit()
    const differences = store.replace({
      objects: listed.items.map(transform),
      version: listed.resourceVersion,
      initial: !hasSynced,
      ...(selection.namespace === undefined ? {} : { namespace: selection.namespace }),
    })
    // Differences in a list that was not requested by `refresh` are changes that the watch missed.
    if (hasSynced && !refreshed) instruments.missed(differences)
    version = listed.resourceVersion
    listedAt = clock.monotonic()
    hasSynced = true
    synced.resolve()
    refreshed?.resolve()
    refreshed = undefined
  }

  const take = (event: WatchEvent<T>) => {
    switch (event.type) {
      case 'ERROR':
        throw errorOf(event.object)
      case 'BOOKMARK':
        break
      case 'DELETED':
        store.remove(transform(checked(event.object)))
        instruments.event()
        break
      default:
        store.put(transform(checked(event.object)))
        instruments.event()
    }
    advance(event.object.metadata.resourceVersion)
    backoff.reset()
  }

  /** Watches until the server ends the watch; throws if it breaks. */
  const watch = async (from: string, stopped: AbortSignal) => {
    instruments.watched()
    const silent = new AbortController()
    const started = clock.monotonic()
    let receivedAt = started
    let reported = 0
    const listen = (): (() => void) => {
      const rest = silenceLimit - (clock.monotonic() - receivedAt)
      if (rest > 0) return clock.after(rest, () => (stopListening = listen()))
      silent.abort(new WatchSilent(`The watch sent nothing for ${silenceLimit / 1_000} s.`))
      return () => undefined
    }
    let stopListening = listen()
    const timeoutSeconds = Math.round(watchSeconds.min + random() * (watchSeconds.max - watchSeconds.min))
    try {
      const signal = AbortSignal.any([stopped, silent.signal])
      const events = await client.watch(resource, { ...selection, resourceVersion: from, timeoutSeconds, signal })
      admit()
      sign()
      for await (const event of events) {
        stopped.throwIfAborted()
        sign()
        receivedAt = lastContact
        reported += 1
        take(event)
      }
      signal.throwIfAborted()
    } finally {
      stopListening()
    }
    const rest = shortWatch - (clock.monotonic() - started)
    if (reported === 0 && rest > 0) throw new WatchTooShort('The watch ended at once without an event.')
    backoff.reset()
    // Throttles requests to a server that ends every watch at its first event.
    if (rest > 0) await clock.sleep(rest, stopped)
  }

  const turn = async (signal: AbortSignal) => {
    if (version !== undefined && clock.monotonic() - listedAt > relistAfter) version = undefined
    if (version === undefined) await list(signal)
    if (version !== undefined) await watch(version, signal)
  }

  /** Counts a failure and returns the delay after it in milliseconds. */
  const recover = (error: unknown): number => {
    instruments.failed(causeOf(error))
    if (error instanceof ApiError && error.status === 403) deniedSince ??= clock.monotonic()
    // In both cases, changes may have been missed.
    if (isExpired(error) || error instanceof MalformedEvent) version = undefined
    const isFirst = backoff.failures() === 0
    const wait = backoff.next()
    const requested = error instanceof ApiError ? Math.min(error.retryAfter ?? 0, longestRest) : 0
    const failures = backoff.failures()
    const level = failures < 3 || isExpectedFailure(error) ? 'debug' : 'warn'
    log[level]({ err: error, failures }, 'a list or watch failed and is restarted')
    return isFirst && isExpired(error) ? requested : Math.max(requested, wait)
  }

  return {
    name,
    run: async (signal) => {
      while (!signal.aborted) {
        lastTurn = clock.monotonic()
        interruption = new AbortController()
        const ending = AbortSignal.any([signal, interruption.signal])
        try {
          await turn(ending)
        } catch (error) {
          // Only an abort makes the sleep fail; it ends the loop or restarts it.
          if (!ending.aborted) await clock.sleep(recover(error), ending).catch(() => undefined)
        }
      }
      instruments.remove()
    },
    hasSynced: () => hasSynced,
    synced: () => synced.promise,
    refresh: () => {
      refreshed ??= Promise.withResolvers<void>()
      const { promise } = refreshed
      version = undefined
      interruption.abort(new Refreshing('A full list was requested.'))
      return promise
    },
    sinceTurn: () => clock.monotonic() - lastTurn,
    sinceContact: () => clock.monotonic() - lastContact,
    deniedFor: () => (deniedSince === undefined ? 0 : clock.monotonic() - deniedSince),
  }
}
