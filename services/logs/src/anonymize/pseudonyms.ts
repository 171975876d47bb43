import { createHmac } from 'node:crypto'

/** The kind of the replaced value; the pseudonym starts with it for readers. */
export type PseudonymKind = 'ip4' | 'ip6' | 'mac' | 'email' | 'user'

/** Creates pseudonyms and counts distinct values. Not reentrant: use one per run. */
export type Pseudonyms = {
  of: (kind: PseudonymKind, value: string) => string
  /** Distinct values so far: IP, MAC and e-mail addresses; user names. */
  counts: () => { addresses: number; usernames: number }
}

const digits = 12
const pseudonymShape = /^(?:ip4|ip6|mac|email|user)-[0-9a-f]{12}$/

/** Pseudonyms are not replaced again, so that anonymizing a store is idempotent. */
export const isPseudonym = (text: string): boolean => pseudonymShape.test(text)

/**
 * Keyed pseudonyms: HMAC-SHA-256 (RFC 2104) of kind and value, the first 48 bits in hex, as in `ip4-3f0c21b7a9e4`. The same value has the same
 * pseudonym under the same key. Without the key they resist a brute-force search, which the few possible addresses would otherwise permit.
 * Values must be canonical (see `addresses.ts`): two notations are two values here.
 */
export const createPseudonyms = (key: Uint8Array): Pseudonyms => {
  const known = new Map<string, string>()
  const distinct = { addresses: new Set<string>(), usernames: new Set<string>() }
  return {
    of: (kind, value) => {
      const name = `${kind}\0${value}`
      const cached = known.get(name)
      if (cached !== undefined) return cached
      const pseudonym = `${kind}-${createHmac('sha256', key).update(name).digest('hex').slice(0, digits)}`
      distinct[kind === 'user' ? 'usernames' : 'addresses'].add(pseudonym)
      if (known.size >= maxCached) known.clear()
      known.set(name, pseudonym)
      return pseudonym
    },
    counts: () => ({ addresses: distinct.addresses.size, usernames: distinct.usernames.size }),
  }
}

const maxCached = 100_000
