import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Log } from '@trellis/kit/telemetry'
import { isAlreadyExists, isConflict, isNotFound, NotLeader } from '../client/api-error.ts'
import type { Client, WriteGuard } from '../client/client.ts'
import type { Clock, Random } from '../clock.ts'
import type { RuntimeMetrics } from '../metrics.ts'
import { microTime } from '../objects/micro-time.ts'
import { type Lease, leases } from '../objects/resource.ts'

/** Milliseconds. The leader stops leading before another process may begin. */
export type ElectionTimes = {
  /** Other processes may take a lease that was not renewed for this long. */
  lease: number
  /** The leader steps down when it could not renew for this long; less than `lease`. */
  renew: number
  /** Interval between attempts to take or renew the lease. */
  retry: number
}

/** The defaults of controller-runtime. */
export const defaultElectionTimes: ElectionTimes = { lease: 15_000, renew: 10_000, retry: 2_000 }

export type ElectionOptions = {
  /** A client with its own connections, so that renewals never wait for other requests. */
  client: Client
  /** Namespace and name of the Lease. */
  namespace: string
  name: string
  /** Globally unique identity of this process. */
  identity?: string
  clock: Clock
  random: Random
  log: Log
  metrics: RuntimeMetrics
  times?: ElectionTimes
}

/** Another process leads now, or may. This process must exit without acting any further. */
export class LeadershipLost extends Error {
  override name = 'LeadershipLost'
}

/** Leader election through a Lease. */
export type Election = {
  readonly identity: string
  /** Resolves once this process leads; rejects with the signal's reason. */
  acquire: (signal: AbortSignal) => Promise<void>
  /** Renews until the signal, then resolves; rejects with LeadershipLost. */
  hold: (signal: AbortSignal) => Promise<void>
  /** Releases the lease so that another process can take over at once. Call it once nothing acts any more. */
  release: () => Promise<void>
  leads: () => boolean
  /**
   * Checks each write: returns the milliseconds left before another process may lead; throws NotLeader. It measures the
   * age of the lease on the monotonic clock, so that a process which was suspended writes nothing when it resumes.
   */
  guard: WriteGuard
}

const ownIdentity = (): string => `${hostname()}_${randomUUID()}`

export const createElection = (options: ElectionOptions): Election => {
  const { client, namespace, name, clock, random, log, metrics } = options
  const { identity = ownIdentity(), times = defaultElectionTimes } = options
  const ref = { namespace, name }
  /** The lease as last seen, and when by our clock: clocks of other processes are not comparable. */
  let seen: { lease: Lease; at: number } | undefined
  /** When the last successful renewal was started; the lease is ours for `times.lease` from then on. */
  let renewedAt: number | undefined

  const age = (): number => (renewedAt === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() - renewedAt)
  const leads = (): boolean => age() < times.renew
  metrics.election(name, leads)

  const see = (lease: Lease) => {
    if (seen?.lease.metadata.resourceVersion !== lease.metadata.resourceVersion) seen = { lease, at: clock.monotonic() }
  }

  /** Limits the total duration: a renewal that takes longer is worthless. */
  const limited = async <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const limit = new AbortController()
    const stopTimer = clock.after(times.renew / 2, () => limit.abort(new Error('The lease request took too long.')))
    try {
      return await work(limit.signal)
    } finally {
      stopTimer()
    }
  }

  const claim = (previous: Lease['spec']): NonNullable<Lease['spec']> => {
    const now = microTime(clock.now())
    const isOurs = previous?.holderIdentity === identity
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(times.lease / 1_000),
      acquireTime: isOurs ? (previous.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: (previous?.leaseTransitions ?? 0) + (isOurs ? 0 : 1),
    }
  }

  const isFree = ({ lease, at }: NonNullable<typeof seen>): boolean => {
    const { holderIdentity = '', leaseDurationSeconds } = lease.spec ?? {}
    if (holderIdentity === '' || holderIdentity === identity) return true
    const duration = leaseDurationSeconds === undefined ? times.lease : leaseDurationSeconds * 1_000
    return clock.monotonic() - at >= duration
  }

  const look = async (signal: AbortSignal) => {
    try {
      see(await client.get(leases, ref, { signal }))
    } catch (error) {
      if (!isNotFound(error)) throw error
      seen = undefined
    }
  }

  /** Writes our identity into the lease as it was last seen. */
  const write = async (signal: AbortSignal) => {
    const begun = clock.monotonic()
    const spec = claim(seen?.lease.spec)
    see(
      seen
        ? await client.update(leases, { ...seen.lease, spec }, { signal })
        : await client.create(leases, { metadata: ref, spec: { ...spec, leaseTransitions: 0 } }, { signal }),
    )
    renewedAt = begun
  }

  const isHeldByUs = () => seen?.lease.spec?.holderIdentity === identity

  /** Takes or renews the lease if possible; returns whether we hold it. */
  const attempt = (): Promise<boolean> =>
    limited(async (signal) => {
      // A renewal builds on our last write; only a conflict reveals a newer version.
      if (!isHeldByUs()) await look(signal)
      if (seen && !isFree(seen)) return false
      try {
        await write(signal)
      } catch (error) {
        if (!(isConflict(error) || isAlreadyExists(error) || isNotFound(error))) throw error
        await look(signal)
        if (!isHeldByUs()) return false
        // The response to one of our writes was lost. When that write took effect is unknown, so only another write
        // counts.
        await write(signal)
      }
      return true
    })

  const tryOnce = async (): Promise<boolean> => {
    try {
      return await attempt()
    } catch (error) {
      log.debug({ err: error, lease: name }, 'the lease could not be taken or renewed')
      return false
    }
  }

  return {
    identity,
    acquire: async (signal) => {
      log.info({ lease: name, identity }, 'waiting to lead')
      while (!((await tryOnce()) && leads())) await clock.sleep(times.retry * (1 + 0.2 * random()), signal)
      log.info({ lease: name, identity }, 'leading')
    },
    hold: async (signal) => {
      for (;;) {
        await clock.sleep(times.retry, signal).catch(() => undefined)
        if (signal.aborted) return
        if (leads()) await tryOnce()
        const holder = seen?.lease.spec?.holderIdentity
        if (leads() && holder === identity) continue
        renewedAt = undefined
        throw new LeadershipLost(
          holder === identity
            ? `The lease ${name} could not be renewed for ${times.renew / 1_000} s.`
            : `The lease ${name} is held by ${holder || 'no process'} now.`,
        )
      }
    },
    release: async () => {
      const held = seen?.lease
      renewedAt = undefined
      if (held?.spec?.holderIdentity !== identity) return
      const { holderIdentity: _, ...spec } = held.spec
      const now = microTime(clock.now())
      try {
        await limited((signal) =>
          client.update(
            leases,
            { ...held, spec: { ...spec, leaseDurationSeconds: 1, acquireTime: now, renewTime: now } },
            { signal },
          ),
        )
        log.info({ lease: name }, 'released the lease')
      } catch (error) {
        log.warn({ err: error, lease: name }, 'the lease was not released: the next leader waits until it expires')
      }
      seen = undefined
    },
    leads,
    guard: () => {
      if (!leads()) throw new NotLeader(`This process does not hold the lease ${name}, so it writes nothing.`)
      return times.lease - age()
    },
  }
}
