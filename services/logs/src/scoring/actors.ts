/** The actors that an entry's text names: the remote address, and the account it is about. */
export type Actors = { address: string | null; user: string | null }

const v4 = String.raw`(?:\d{1,3}\.){3}\d{1,3}`
/** Begins with a number or two colons, does not end with a single colon, which belongs to the sentence, and is not a time of day. */
const v6 = String.raw`(?!\d\d:\d\d:\d\d(?![\w:]))(?:[0-9a-f]{1,4}(?=:)|(?=::))(?::[0-9a-f]{0,4}){2,7}(?<![^:]:)(?:%\w+)?`
/** An IPv4 address that a socket of IPv6 accepted is that IPv4 address. */
const mapped = '::ffff:(?=\\d{1,3}\\.)'
/** Mail servers write `[IPv6:2001:db8::7]`. */
const address = String.raw`\[?(?:ipv6:)?(?:${mapped})?(?<address>${v4}|${v6})\]?`
const hostName = String.raw`(?<address>[a-z\d](?:[a-z\d-]*\.)+[a-z][a-z\d-]+)`

/** Words before the address of the client, best first: an entry may also name the server's address. The last pattern accepts any address. */
const addressPatterns: readonly RegExp[] = [
  new RegExp(
    String.raw`\b(?:rhost|src|src_?ip|source_?ip|remote_?(?:addr(?:ess)?|ip|host)|client_?(?:ip|addr(?:ess)?)?|ip_?address|rip|peer|ip)(?:["']?\s*[=:]\s*["']?\\?"?|["']>)(?:ipv[46][:/](?:\w+/)?)?${address}`,
    'i',
  ),
  // With reverse DNS lookups, a host name replaces the address.
  /\brhost=(?<address>[a-z\d-]+(?:\.[a-z\d-]+)+)/i,
  // An account may contain an address. The address of the client is the last part of a message of sshd.
  new RegExp(String.raw`(?:^|\s)${address} port \d{1,5}(?: ssh\d)?(?=$|[:\n]| \[)`, 'i'),
  // After the account, which contains the address of the server in SIP.
  new RegExp(String.raw`\b(?:failed|rejected|denied) for ["']?${address}`, 'i'),
  // The name in parentheses is chosen by the client, and may be an address.
  new RegExp(String.raw`\([^()]{1,255}\) (?=\[)${address}`, 'i'),
  // An address begins a word: `fd12::7` must not be read as `12::7`.
  new RegExp(
    String.raw`\b(?:from|by|client|host|ip|peer|address|relay|attacker)\b[^\d\[:]{0,30}(?<!\w)${address}`,
    'i',
  ),
  new RegExp(`^${address}[ :,]`, 'i'),
  // The name of a host that was looked up, before its address.
  new RegExp(String.raw`[a-z\d-]\.[a-z][a-z\d-]{1,62} ?(?:\(|(?=\[))${address}`, 'i'),
  new RegExp(String.raw`\bfrom ${hostName}(?=$|\n| (?:port \d|via |not allowed\b))`, 'i'),
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
    String.raw`\b(?:user|account)(?:name)? \[?["'\x60\\]*(?!(?:was|is|has|does|doesn|did|could|found|not|for|from|in|logged|failed|unknown|denied)\b)${name}`,
    'i',
  ),
  new RegExp(String.raw`\b(?:for|as) ["'\x60\\<]*${name}["'\x60>]* (?:from|by|at|on|failed)\b`, 'i'),
  new RegExp(String.raw`\buser denied: ["'\x60\\]*${name}`, 'i'),
  /\bsips?:(?<user>[^\s@'"<>;]{1,64})@/i,
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
  const found = firstGroup(addressPatterns, start, 'address')
  // Programs write the letters of an address in either case.
  return { address: found?.toLowerCase() ?? null, user: firstGroup(userPatterns, start, 'user') }
}
