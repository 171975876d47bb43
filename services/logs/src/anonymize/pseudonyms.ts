import { createHmac } from 'node:crypto'

/** What a pseudonym stands for; it begins with this word, so that people see what it was. */
export type PseudonymKind = 'ip4' | 'ip6' | 'mac' | 'email' | 'user'

/** Gives pseudonyms, and remembers how many different values it was asked for. Not to be used by two at once. */
export type Pseudonyms = {
  of: (kind: PseudonymKind, value: string) => string
  /** Distinct values so far: addresses of networks, devices and mail; names of users. */
  counts: () => { addresses: number; usernames: number }
}

const digits = 12
const pseudonymShape = /^(?:ip4|ip6|mac|email|user)-[0-9a-f]{12}$/

/** What is one already stays as it is, so that a store can be gone through twice. */
export const isPseudonym = (text: string): boolean => pseudonymShape.test(text)

/**
 * Keyed pseudonyms: HMAC-SHA-256 (RFC 2104) of kind and value, its first 48 bits in hex, as in `ip4-3f0c21b7a9e4`. The same value has the same
 * pseudonym under the same key; without the key nobody can try values until one fits, of which there are few enough for addresses.
 * Values are to be in one form (see `addresses.ts`): a value written in two ways is two values here.
 */
export const createPseudonyms = (key: Uint8Array): Pseudonyms => {
  const known = new Map<string, string>()
  const distinct = { addresses: new Set<string>(), usernames: new Set<string>() }
  return {
    of: (kind, value) => {
      const name = `${kind}\0${value}`
      const remembered = known.get(name)
      if (remembered !== undefined) return remembered
      const pseudonym = `${kind}-${createHmac('sha256', key).update(name).digest('hex').slice(0, digits)}`
      distinct[kind === 'user' ? 'usernames' : 'addresses'].add(pseudonym)
      if (known.size >= maxRemembered) known.clear()
      known.set(name, pseudonym)
      return pseudonym
    },
    counts: () => ({ addresses: distinct.addresses.size, usernames: distinct.usernames.size }),
  }
}

const maxRemembered = 100_000
