import type { Clock } from '../clock.ts'
import { type KubeObject, keyOf } from '../objects/object.ts'
import type { Change } from '../store/store.ts'

/**
 * What a controller has asked for and not yet seen in its cache. While there is anything of it, the cache is behind the
 * controller's own deeds, and to count by it would be to do them again.
 */
export type Expectations = {
  /** A child that is about to be created, by its key. Say so before the request, for its event may be first. */
  expectCreation: (owner: string, child: string) => void
  /** A child whose deletion is about to be asked for, by its uid. */
  expectDeletion: (owner: string, uid: string) => void
  /** The request failed, or may have: there is nothing to wait for. Takes the child's key, or its uid for a deletion. */
  withdraw: (child: string) => void
  /** Takes note of what the cache shows. Deletions count as seen when they have begun. */
  observe: <T extends KubeObject>(change: Change<T>) => void
  /** Whether all was seen, or was waited for too long. */
  fulfilled: (owner: string) => boolean
  /** Milliseconds until what is expected of an owner is given up; 0 where nothing is. */
  expiresIn: (owner: string) => number
  /** For an owner that is gone. */
  forget: (owner: string) => void
}

/** Milliseconds. An event that has not come after five minutes does not come: better to look again. */
const defaultExpiry = 300_000

export const createExpectations = ({
  clock,
  expiry = defaultExpiry,
}: {
  clock: Clock
  expiry?: number
}): Expectations => {
  const byOwner = new Map<string, Map<string, number>>()
  /** The owner that a creation's key or a deletion's uid is expected by. */
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
    forget: (owner) => {
      for (const what of [...(byOwner.get(owner)?.keys() ?? [])]) settle(what)
    },
  }
}
