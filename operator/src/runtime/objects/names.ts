import { hash } from 'node:crypto'

/** No vowels and no digits that look like letters: such suffixes spell nothing, and begin and end as names may. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789'

const suffixLength = 10

/** Ten characters that stand for the parts, which are kept apart: `['ab', 'c']` is not `['a', 'bc']`. About 47 bits. */
const suffixOf = (parts: readonly string[]): string => {
  const digest = hash('sha256', JSON.stringify(parts), 'buffer')
  return Array.from(digest.subarray(0, suffixLength), (byte) => alphabet[byte % alphabet.length]).join('')
}

/**
 * The name of something that follows from the parts: the same parts give the same name, so that to make it twice is to
 * make it once. It reads as the first part does, as far as there is room and DNS allows, and ends with a hash of all parts.
 *
 * `limit` is 63 characters, what a label, a Service and a Pod's host name take.
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
