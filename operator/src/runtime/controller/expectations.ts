import type { Clock } from '../clock.ts'
import { type KubeObject, keyOf } from '../objects/object.ts'
import type { Change } from '../store/store.ts'

/**
 * Writes of a controller that its cache does not show yet. While any are pending, the cache lags behind the
 * controller's own writes, and counting objects by it would repeat them.
 */
export type Expectations = {
  /**
   * Registers a child, by its key, that is about to be created. Call it before the request, since the event may arrive
   * first.
   */
  expectCreation: (owner: string, child: string) => void
  /** Registers a child, by its uid, whose deletion is about to be requested. */
  expectDeletion: (owner: string, uid: string) => void
  /** The request failed, or may have: stops waiting for it. Takes the child's key, or its uid for a deletion. */
  withdraw: (child: string) => void
  /** Records a change in the cache. A deletion counts as seen once it has begun. */
  observe: <T extends KubeObject>(change: Change<T>) => void
  /** Whether every expectation was observed or has expired. */
  fulfilled: (owner: string) => boolean
  /** Milliseconds until the first pending expectation of an owner expires; 0 if none is pending. */
  expiresIn: (owner: string) => number
  /** Drops the expectations of an owner that was deleted. */
  drop: (owner: string) => void
}

/** Milliseconds. An event that has not arrived after five minutes will not arrive: reconcile anyway. */
const defaultExpiry = 300_000

export const createExpectations = ({
  clock,
  expiry = defaultExpiry,
}: {
  clock: Clock
  expiry?: number
}): Expectations => {
  const byOwner = new Map<string, Map<string, number>>()
  /** Owner by creation or deletion entry. */
  const owners = new Map<string, string>()

  const expect = (owner: string, what: string) => {
    const expected = byOwner.get(owner) ?? new Map<string, number>()
    expected.set(what, clock.monotonic() + expiry)
    byOwner.set(owner, expected)
    owners.set(what, owner)
  }

  const settle = (what: string) => {
    const owner = owners.get(what)
    if (owner === undefined) return
    owners.delete(what)
    const expected = byOwner.get(owner)
    expected?.delete(what)
    if (expected?.size === 0) byOwner.delete(owner)
  }

  const pending = (owner: string): Map<string, number> => {
    const expected = byOwner.get(owner)
    if (!expected) return new Map()
    const now = clock.monotonic()
    for (const [what, until] of [...expected]) if (until <= now) settle(what)
    return byOwner.get(owner) ?? new Map()
  }

  const creation = (key: string) => `create ${key}`
  const deletion = (uid: string) => `delete ${uid}`

  return {
    expectCreation: (owner, child) => expect(owner, creation(child)),
    expectDeletion: (owner, uid) => expect(owner, deletion(uid)),
    withdraw: (child) => {
      settle(creation(child))
      settle(deletion(child))
    },
    observe: ({ type, object }) => {
      settle(creation(keyOf(object.metadata)))
      if (type === 'deleted' || object.metadata.deletionTimestamp !== undefined) settle(deletion(object.metadata.uid))
    },
    fulfilled: (owner) => pending(owner).size === 0,
    expiresIn: (owner) => {
      const times = [...pending(owner).values()]
      return times.length === 0 ? 0 : Math.max(0, Math.min(...times) - clock.monotonic())
    },
    drop: (owner) => {
      for (const what of [...(byOwner.get(owner)?.keys() ?? [])]) settle(what)
    },
  }
}
