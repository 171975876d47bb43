import { isIPv4, isIPv6 } from 'node:net'
import type { PseudonymKind } from './pseudonyms.ts'

/** Four numbers separated by dots, which are not part of a longer sequence. */
const ip4 = /(?<!\d|\d\.)\d{1,3}(?:\.\d{1,3}){3}(?!\d|\.\d)/g
/** Words joined by two or more colons: an IPv6 or MAC address, perhaps with a label or a port, or something else. */
const colons = /(?<![0-9A-Za-z_.:])[0-9A-Za-z_.]*(?::[0-9A-Za-z_.]*){2,}/g
const dashedMac = /(?<![\w-])[0-9a-f]{2}(?:-[0-9a-f]{2}){5}(?![\w-])/gi
const dottedMac = /(?<![\w.])[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}(?![\w.])/gi
const mac = /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/i
/**
 * Allows the characters of a local part (RFC 5322, section 3.2.3) except those that more often separate an address from its surroundings in a
 * log: `=` of a key, `/` of a path, `?`, `|`, braces and backquotes. Quotes and other marks are allowed within it only: they may enclose it.
 */
const email =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}_%+-][\p{L}\p{N}._%+\-'!#$&*^~]{0,63}@[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62}\.){1,8}\p{L}{2,24}/gu

const canonicalIp4 = (text: string): string => text.split('.').map(Number).join('.')

/** An IPv6 address in the form of RFC 5952, as URL writes it, with the last four bytes in hex. */
const canonicalIp6 = (text: string): string =>
  URL.parse(`http://[${text}]`)?.hostname.slice(1, -1) ?? text.toLowerCase()

/** The IPv4 address of an IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2): both are the same host. */
const mappedIp4 = (canonical: string): string | undefined => {
  const groups = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical)
  if (!groups) return undefined
  const [high, low] = [Number.parseInt(groups[1] ?? '', 16), Number.parseInt(groups[2] ?? '', 16)]
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
}

const canonicalMac = (text: string): string => text.toLowerCase().replaceAll(/[^0-9a-f]/g, '')

const maxLabels = 3
const maxPorts = 2

/** The address in words joined by colons: all of them, or the rest without leading labels and trailing ports. */
const addressIn = (words: readonly string[]): { from: number; to: number } | undefined => {
  for (let ports = 0; ports <= maxPorts; ports++) {
    for (let labels = 0; labels <= maxLabels; labels++) {
      const to = words.length - ports
      if (to - labels < 3) break
      const text = words.slice(labels, to).join(':')
      if (text !== '::' && (mac.test(text) || isIPv6(text))) return { from: labels, to }
    }
  }
  return undefined
}

const replaceColons = (match: string, pseudonyms: AddressPseudonyms): string => {
  const [, body = '', end = ''] = /^(.*?)(\.*)$/.exec(match) ?? []
  const words = body.split(':')
  const found = addressIn(words)
  if (!found) return match
  const address = words.slice(found.from, found.to).join(':')
  const withContext = (pseudonym: string) =>
    [...words.slice(0, found.from), pseudonym, ...words.slice(found.to)].join(':') + end
  if (mac.test(address)) return withContext(pseudonyms.of('mac', canonicalMac(address)))
  const canonical = canonicalIp6(address)
  const mapped = mappedIp4(canonical)
  return withContext(mapped === undefined ? pseudonyms.of('ip6', canonical) : pseudonyms.of('ip4', mapped))
}

/** A form of addresses: a character that it requires, its pattern, and the replacement of a match. */
export type AddressPattern = {
  hint: string
  pattern: RegExp
  replace: (match: string, pseudonyms: AddressPseudonyms) => string
}

/** Returns the pseudonym of a canonical value. */
export type AddressPseudonyms = { of: (kind: Exclude<PseudonymKind, 'user'>, canonical: string) => string }

/** In the order of matching. Anything of the same form counts as an address, such as a version of four numbers. */
export const addressPatterns: readonly AddressPattern[] = [
  { hint: '@', pattern: email, replace: (match, names) => names.of('email', match.toLowerCase()) },
  { hint: ':', pattern: colons, replace: replaceColons },
  { hint: '-', pattern: dashedMac, replace: (match, names) => names.of('mac', canonicalMac(match)) },
  { hint: '.', pattern: dottedMac, replace: (match, names) => names.of('mac', canonicalMac(match)) },
  {
    hint: '.',
    pattern: ip4,
    replace: (match, names) => {
      const canonical = canonicalIp4(match)
      return isIPv4(canonical) ? names.of('ip4', canonical) : match
    },
  },
]

/** Replaces IPv4, IPv6, MAC and e-mail addresses by pseudonyms. */
export const replaceAddresses = (text: string, pseudonyms: AddressPseudonyms): string => {
  let replaced = text
  for (const { hint, pattern, replace } of addressPatterns)
    if (replaced.includes(hint)) replaced = replaced.replaceAll(pattern, (match) => replace(match, pseudonyms))
  return replaced
}
