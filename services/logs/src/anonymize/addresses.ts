import { isIPv4, isIPv6 } from 'node:net'
import type { PseudonymKind } from './pseudonyms.ts'

/** Four numbers with dots between; what is a part of more numbers is none. */
const ip4 = /(?<!\d|\d\.)\d{1,3}(?:\.\d{1,3}){3}(?!\d|\.\d)/g
/** Words that hang together by two or more colons: an address of IPv6 or of a device, with a label or a port perhaps, or something else. */
const colons = /(?<![0-9A-Za-z_.:])[0-9A-Za-z_.]*(?::[0-9A-Za-z_.]*){2,}/g
const dashedMac = /(?<![\w-])[0-9a-f]{2}(?:-[0-9a-f]{2}){5}(?![\w-])/gi
const dottedMac = /(?<![\w.])[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}(?![\w.])/gi
const mac = /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/i
/**
 * What a local part may have (RFC 5322, section 3.2.3), but for what parts an address from its surroundings in a log more often: the
 * `=` of a key, the `/` of a path, the `?`, `|`, braces and backquotes. Quotes and marks count within it only: they may be put around it.
 */
const email =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}_%+-][\p{L}\p{N}._%+\-'!#$&*^~]{0,63}@[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62}\.){1,8}\p{L}{2,24}/gu

const oneFormOfIp4 = (text: string): string => text.split('.').map(Number).join('.')

/** An IPv6 address as RFC 5952 writes it; URL does that, and writes the last four bytes in hex. */
const oneFormOfIp6 = (text: string): string =>
  URL.parse(`http://[${text}]`)?.hostname.slice(1, -1) ?? text.toLowerCase()

/** The IPv4 address that an IPv6 address is the mapped form of (RFC 4291, section 2.5.5.2): it is the same machine. */
const mappedIp4 = (oneForm: string): string | undefined => {
  const groups = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(oneForm)
  if (!groups) return undefined
  const [high, low] = [Number.parseInt(groups[1] ?? '', 16), Number.parseInt(groups[2] ?? '', 16)]
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
}

const oneFormOfMac = (text: string): string => text.toLowerCase().replaceAll(/[^0-9a-f]/g, '')

const labelsInFront = 3
const numbersBehind = 2

/** The address in words that colons join: all of them, or what is left without labels in front and ports behind. */
const addressIn = (words: readonly string[]): { from: number; to: number } | undefined => {
  for (let behind = 0; behind <= numbersBehind; behind++) {
    for (let front = 0; front <= labelsInFront; front++) {
      const to = words.length - behind
      if (to - front < 3) break
      const text = words.slice(front, to).join(':')
      if (text !== '::' && (mac.test(text) || isIPv6(text))) return { from: front, to }
    }
  }
  return undefined
}

const replaceColons = (match: string, pseudonyms: AddressNames): string => {
  const [, body = '', end = ''] = /^(.*?)(\.*)$/.exec(match) ?? []
  const words = body.split(':')
  const found = addressIn(words)
  if (!found) return match
  const address = words.slice(found.from, found.to).join(':')
  const around = (pseudonym: string) =>
    [...words.slice(0, found.from), pseudonym, ...words.slice(found.to)].join(':') + end
  if (mac.test(address)) return around(pseudonyms.of('mac', oneFormOfMac(address)))
  const oneForm = oneFormOfIp6(address)
  const mapped = mappedIp4(oneForm)
  return around(mapped === undefined ? pseudonyms.of('ip6', oneForm) : pseudonyms.of('ip4', mapped))
}

/** What addresses look like: a character that must be there, the pattern, and what takes the place of a match. */
export type AddressPlace = {
  hint: string
  pattern: RegExp
  replace: (match: string, pseudonyms: AddressNames) => string
}

/** What a value in one form is called from now on. */
export type AddressNames = { of: (kind: Exclude<PseudonymKind, 'user'>, oneForm: string) => string }

/** In the order in which they are to be looked for. What merely looks like one, as a version with four numbers, is taken for one. */
export const addressPlaces: readonly AddressPlace[] = [
  { hint: '@', pattern: email, replace: (match, names) => names.of('email', match.toLowerCase()) },
  { hint: ':', pattern: colons, replace: replaceColons },
  { hint: '-', pattern: dashedMac, replace: (match, names) => names.of('mac', oneFormOfMac(match)) },
  { hint: '.', pattern: dottedMac, replace: (match, names) => names.of('mac', oneFormOfMac(match)) },
  {
    hint: '.',
    pattern: ip4,
    replace: (match, names) => {
      const oneForm = oneFormOfIp4(match)
      return isIPv4(oneForm) ? names.of('ip4', oneForm) : match
    },
  },
]

/** Puts pseudonyms in place of addresses: IPv4, IPv6, of devices (MAC) and of mail. */
export const replaceAddresses = (text: string, pseudonyms: AddressNames): string => {
  let replaced = text
  for (const { hint, pattern, replace } of addressPlaces)
    if (replaced.includes(hint)) replaced = replaced.replaceAll(pattern, (match) => replace(match, pseudonyms))
  return replaced
}
