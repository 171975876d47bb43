/** A packet that a firewall blocked. */
export type BlockedPacket = { source: string | null; port: string | null }

const v4OrV6 = String.raw`(?:(?:\d{1,3}\.){3}\d{1,3}|[\da-f]{0,4}:[\da-f:]{2,40})`
/** Names and values, in any order: each is matched separately, so that no line can make matching slow. */
const verdict = /\b(?:deny|denied|block(?:ed)?|drop(?:ped)?|reject(?:ed)?)\b/i
const namedSource = new RegExp(String.raw`\bsrc(?:_?ip|_?addr)?["']?[=:]\s?"?(?<source>${v4OrV6})`, 'i')
const namedPort = /\b(?:dpt|d(?:e?st)?_?port)["']?[=:]\s?"?(?<port>\d{1,5})/i
const namedSourcePort = /\b(?:spt|s(?:rc)?_?port)["']?[=:]\s?"?(?<port>\d{1,5})/i

/** Formats of other firewalls: a sentence with both endpoints, comma-separated columns. */
const forms: readonly RegExp[] = [
  new RegExp(
    String.raw`\b(?:deny|denied|drop(?:ped)?)\b.{0,60} (?:[\w-]+:)?(?<source>${v4OrV6})[/:](?<sourcePort>\d{1,5}).{0,60} (?:[\w-]+:)?${v4OrV6}[/:](?<port>\d{1,5})\b`,
    'i',
  ),
  new RegExp(
    String.raw`,(?:block|reject),(?:in|out),[46],.{0,80}?,(?<source>${v4OrV6}),${v4OrV6},(?<sourcePort>\d{1,5}),(?<port>\d{1,5})\b`,
    'i',
  ),
]
const ofNames = (text: string): BlockedPacket | undefined => {
  const port = namedPort.exec(text)?.groups?.port
  const source = namedSource.exec(text)?.groups?.source
  return port !== undefined && source !== undefined && verdict.test(text) ? { source, port } : undefined
}
const netfilter = new RegExp(String.raw`\bSRC=(?<source>${v4OrV6})(?:.{0,400}\bDPT=(?<port>\d{1,5}))?`)

/** Ports of services, and the ports from which systems connect to them (Linux; IANA has 49152 and above). */
const lastServicePort = 1023
const firstClientPort = 32_768
/** Servers answer connections that have expired in the firewall: such packets go to many ports and are no scan. */
const isLateReply = (from: string | undefined, to: string | null): boolean =>
  from !== undefined && to !== null && Number(from) <= lastServicePort && Number(to) >= firstClientPort

/**
 * The blocked packet that a text reports, if any; late replies of servers are not reported. `isBlock`: a pattern found a netfilter line, whose
 * prefix is configurable.
 */
export const blockedPacketOf = (text: string, isBlock: boolean): BlockedPacket | undefined => {
  const found = isBlock ? netfilter.exec(text) : null
  const named = found ? undefined : ofNames(text)
  const { groups } = found ?? (named ? null : forms.map((form) => form.exec(text)).find(Boolean)) ?? {}
  const packet = named ?? (groups && { source: groups.source ?? null, port: groups.port ?? null })
  const sourcePort = groups?.sourcePort ?? namedSourcePort.exec(text)?.groups?.port
  return packet && !isLateReply(sourcePort, packet.port) ? packet : undefined
}

/** Every text about a blocked packet contains one of these words. */
export const blockedPacketWords = [
  'ufw',
  'match',
  'blocked',
  'drop',
  'dropped',
  'reject',
  'rejected',
  'deny',
  'denied',
  'dpt',
  'spt',
]
