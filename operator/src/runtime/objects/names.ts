import { hash } from 'node:crypto'

/**
 * No vowels and no digits that look like letters, so that suffixes spell no words; each character may start or end a
 * name.
 */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789'

const suffixLength = 10

/** A ten-character hash of the parts, about 47 bits. Parts are delimited: `['ab', 'c']` differs from `['a', 'bc']`. */
const suffixOf = (parts: readonly string[]): string => {
  const digest = hash('sha256', JSON.stringify(parts), 'buffer')
  return Array.from(digest.subarray(0, suffixLength), (byte) => alphabet[byte % alphabet.length]).join('')
}

/**
 * Derives a name from the parts: the same parts yield the same name, which makes creation idempotent. It starts with
 * the first part, as far as length and DNS allow, and ends with a hash of all parts.
 *
 * `limit` is 63 characters, the maximum of a label, a Service and a Pod's host name.
 */
export const deterministicName = (parts: readonly [string, ...string[]], limit = 63): string => {
  const readable = parts[0]
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, limit - suffixLength - 1)
    .replace(/-+$/, '')
  return `${readable || 'x'}-${suffixOf(parts)}`
}
