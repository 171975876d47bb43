import { withRetries } from '../../src/runtime/client/retry.ts'
import {
  ApiError,
  type Client,
  ConnectionError,
  type DeleteOptions,
  defaultRetry,
  type KubeObject,
  type RequestOptions,
  type Scale,
  type Selection,
  type WriteOptions,
} from '../../src/runtime/mod.ts'
import type { Faults } from './faults.ts'
import type { SeededRandom } from './seeded-random.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import { openSimulatedWatch } from './simulated-watch.ts'
import type { Storage } from './storage.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** The simulated network between a process and the API server. */
export type Network = {
  clock: VirtualClock
  random: SeededRandom
  storage: Storage
  /** Read for each request, so that the faults may change over time. */
  faults: () => Faults
  /** Whether a process is currently cut off from the server; `whenReached` registers a callback for its reconnection. */
  isIsolated: (process: SimulatedProcess) => boolean
  whenReached: (process: SimulatedProcess, something: () => void) => void
  /** Called at each step at which a process could be killed. */
  onStep: (process: SimulatedProcess) => void
}

type Request = { isWrite: boolean; isUpdate?: boolean; idempotent?: boolean; options?: WriteOptions }

/** Milliseconds for an attempt, and the maximum delay of a late request. */
const attemptTimeout = 30_000
const latest = 60_000

const valueAt = (object: unknown, path: string): unknown =>
  path.split('.').reduce((held, part) => (held as Record<string, unknown> | undefined)?.[part], object)

/** Whether an object matches a field selector of the form `status.phase!=Failed,...`. */
export const isOfFields = (object: KubeObject, fieldSelector = ''): boolean =>
  fieldSelector.split(',').every((term) => {
    if (term === '') return true
    const [path = '', value] = term.split('!=')
    if (value === undefined) throw new Error(`The simulated server does not know the field selector ${term}.`)
    return valueAt(object, path) !== value
  })

/** Whether an object matches a selection. Label selectors support only equality. */
export const isSelected = (object: KubeObject, { namespace, labelSelector, fieldSelector }: Selection): boolean => {
  const { metadata } = object
  if (!isOfFields(object, fieldSelector)) return false
  if (namespace !== undefined && metadata.namespace !== namespace) return false
  return (labelSelector ?? '').split(',').every((term) => {
    const [label = '', value = ''] = term.split('=')
    return label === '' || metadata.labels?.[label] === value
  })
}

/** A client of the simulated server that loses, delays and fails requests according to the faults. Retries use the real code. */
export const createSimulatedClient = (network: Network, process: SimulatedProcess): Client => {
  const { clock, random, storage } = network

  /** Sends a request and returns its answer, applying the faults to both. */
  const attempt = <T>(execute: () => T, { isWrite, isUpdate = false, options = {} }: Request): Promise<T> =>
    new Promise((resolve, reject) => {
      const limit = Math.min(options.timeout ?? attemptTimeout, options.guard?.() ?? attemptTimeout)
      const faults = network.faults()
      network.onStep(process)
      const settle = (answer: () => void) => process.deliver(answer)
      const lose = (maybeSent: boolean) =>
        settle(() => reject(new ConnectionError('the connection broke', { maybeSent })))
      const delay = () => random.between(...faults.latency)
      const abort = () => reject(options.signal?.reason)
      if (options.signal?.aborted) return abort()
      const leave = process.heed(options.signal, abort)
      const stopLimit = process.clock.after(limit, () => {
        leave()
        lose(true)
      })

      // No answer arrives; the timeout ends the attempt.
      if (network.isIsolated(process)) return
      if (random.chance(faults.refused)) return void clock.after(delay(), () => lose(false))
      if (random.chance(faults.requestLost)) return void clock.after(delay(), () => lose(true))
      const isLate = random.chance(faults.late)
      clock.after(isLate ? random.between(limit, Math.max(limit, latest)) : delay(), () => {
        if (network.isIsolated(process)) return
        let answer: () => void
        try {
          if (random.chance(faults.throttled)) throw new ApiError(429, { reason: 'TooManyRequests' }, 1_000)
          if (random.chance(faults.serverError)) throw new ApiError(500, { reason: 'InternalError' })
          if (isUpdate && random.chance(faults.conflict)) throw new ApiError(409, { reason: 'Conflict' })
          const value = execute()
          answer = () => resolve(value)
        } catch (error) {
          answer = () => reject(error)
        }
        const isLost = isWrite && random.chance(faults.answerLost)
        clock.after(delay(), () => {
          if (network.isIsolated(process)) return
          process.deliver(() => {
            stopLimit()
            leave()
            network.onStep(process)
          })
          if (isLost) lose(true)
          else settle(answer)
        })
      })
    })

  const request = <T>(execute: () => T, about: Request): Promise<T> =>
    withRetries(
      () => attempt(execute, about),
      { idempotent: about.idempotent ?? true, signal: about.options?.signal },
      { clock: process.clock, random, retry: defaultRetry },
    )

  const read = <T>(execute: () => T, options: RequestOptions = {}) => request(execute, { isWrite: false, options })
  const by = process.name

  return {
    get: async (resource, ref, options) => read(() => storage.get(resource, ref), options),
    list: async (resource, options = {}) =>
      read(() => {
        const selected = storage
          .list(resource)
          .filter((object) => isSelected(object, options))
          .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
        const from = Number(options.continue?.split('@')[0] ?? 0)
        const version = options.continue?.split('@')[1] ?? String(storage.revision())
        // All pages are of one version. Old versions are not stored, so a list overtaken by a write expires and restarts.
        if (version !== String(storage.revision())) throw new ApiError(410, { reason: 'Expired' })
        const end = from + (options.limit ?? selected.length)
        const page = { items: selected.slice(from, end), resourceVersion: version }
        return end < selected.length ? { ...page, continue: `${end}@${version}` } : page
      }, options),
    watch: async (resource, options) => {
      await attempt(() => undefined, { isWrite: false, options: { signal: options.signal } })
      return openSimulatedWatch(network, process, resource, options)
    },
    create: async (resource, object, options) =>
      request(() => storage.create(resource, object, by), {
        isWrite: true,
        idempotent: 'name' in object.metadata,
        ...(options ? { options } : {}),
      }),
    update: async (resource, object, options) =>
      request(() => storage.update(resource, object, { subresource: options?.subresource, by }), {
        isWrite: true,
        isUpdate: true,
        ...(options ? { options } : {}),
      }),
    patch: async (resource, ref, patch, options) =>
      request(() => storage.patch(resource, ref, patch, { subresource: options?.subresource, by }), {
        isWrite: true,
        isUpdate: true,
        idempotent: patch.type !== 'json',
        ...(options ? { options } : {}),
      }),
    delete: async (resource, ref, options) =>
      request(() => storage.delete(resource, ref, { ...pick(options), by }), {
        isWrite: true,
        idempotent: options?.preconditions?.uid !== undefined,
        ...(options ? { options } : {}),
      }),
    getScale: async (resource, ref, options) => read(() => scaleOf(storage.get(resource, ref)), options),
    setScale: async (resource, ref, replicas, options) =>
      request(() => scaleOf(storage.patch(resource, ref, { type: 'merge', body: { spec: { replicas } } }, { by })), {
        isWrite: true,
        isUpdate: true,
        ...(options ? { options } : {}),
      }),
  }
}

const pick = ({ preconditions, propagationPolicy }: DeleteOptions = {}) => ({ preconditions, propagationPolicy })

const scaleOf = (object: KubeObject): Scale => {
  const { metadata, spec, status } = object as Scale
  return { metadata, spec: { replicas: spec?.replicas ?? 0 }, status: { replicas: status?.replicas ?? 0 } }
}
