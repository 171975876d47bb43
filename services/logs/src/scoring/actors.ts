/** The actors that an entry's text names: the remote address, and the account it is about. */
export type Actors = { address: string | null; user: string | null }

const v4 = String.raw`(?:\d{1,3}\.){3}\d{1,3}`
const v6 = String.raw`(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?:%\w+)?`
/** An IPv4 address that a socket of IPv6 accepted is that IPv4 address. */
const mapped = '::ffff:(?=\\d{1,3}\\.)'
const address = String.raw`\[?(?:${mapped})?(?<address>${v4}|${v6})\]?`

/** Words before the address of the client, best first: an entry may also name the server's address. The last pattern accepts any address. */
const addressPatterns: readonly RegExp[] = [
  new RegExp(
    String.raw`\b(?:rhost|src|src_?ip|source_?ip|remote_?(?:addr(?:ess)?|ip|host)|client_?(?:ip|addr(?:ess)?)?|ip_?address|rip|peer|ip)(?:["']?\s*[=:]\s*["']?\\?"?|["']>)(?:ipv[46][:/](?:\w+/)?)?${address}`,
    'i',
  ),
  // With reverse DNS lookups, a host name replaces the address.
  /\brhost=(?<address>[a-z\d-]+(?:\.[a-z\d-]+)+)/i,
  new RegExp(String.raw`\b(?:from|by|client|host|ip|peer|address)\b[^\d\[:]{0,30}${address}`, 'i'),
  new RegExp(`^${address}[ :,]`, 'i'),
  new RegExp(String.raw`(?:^|[^\d.])${address.replace(`|${v6}`, '')}(?![\d.])`, 'i'),
]

/** A full stop after a name ends the sentence. */
const name = String.raw`(?<user>[^\s'"\x60\\,;:()\[\]<>=]{0,63}[^\s'"\x60\\,;:()\[\]<>=.])`
const userPatterns: readonly RegExp[] = [
  new RegExp(
    String.raw`\b(?:invalid|illegal|unknown|failed|authenticating|non-?existent) user(?:name)?:? ["'\x60\\]*${name}`,
    'i',
  ),
  new RegExp(
    String.raw`\b(?:password|publickey|none|keyboard-interactive(?:/pam)?) for (?:invalid user |illegal user )?${name} from\b`,
    'i',
  ),
  new RegExp(String.raw`\b(?:target_?|sasl_|account_?)(?:user_?name|id)(?:["']?\s*[:=]\s*|["']>)\\?["'<]?${name}`, 'i'),
  new RegExp(String.raw`\b(?:user(?:_?name)?|account|acct|email)(?:["']?\s*:\s*|["']?=)\\?["'<]?${name}`, 'i'),
  new RegExp(String.raw`\blogin failed: ["'\x60\\]*${name}["'\x60\\]* \(`, 'i'),
  new RegExp(String.raw`\blogin(?:["']\s*:\s*|=)\\?["'<]?${name}`, 'i'),
  new RegExp(
    String.raw`\b(?:user|account)(?:name)? \[?["'\x60\\]*(?!(?:was|is|has|does|doesn|did|could|found|not|for|from|in|logged|failed|unknown)\b)${name}`,
    'i',
  ),
  new RegExp(String.raw`\b(?:for|as) ["'\x60\\<]*${name}["'\x60>]* (?:from|by|at|on|failed)\b`, 'i'),
]

const firstGroup = (patterns: readonly RegExp[], text: string, group: string): string | null => {
  for (const pattern of patterns) {
    const found = pattern.exec(text)?.groups?.[group]
    // Hyphens stand for a name that is missing.
    if (found !== undefined && !/^-*$/.test(found)) return found
  }
  return null
}

/** Characters examined: headers and names come first, but a Windows event in XML has its own names after two kilobytes. */
const lookedAt = 4_096

export const actorsOf = (text: string): Actors => {
  const start = text.slice(0, lookedAt)
  return { address: firstGroup(addressPatterns, start, 'address'), user: firstGroup(userPatterns, start, 'user') }
}
