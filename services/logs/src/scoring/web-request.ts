/** A request as logged by a web server, a proxy or an application. `agent` is the user agent, '' if it is missing. */
export type WebRequest = { client: string; method: string; path: string; status: number; agent: string }

const v4 = String.raw`\d{1,3}(?:\.\d{1,3}){3}`
/** Not a time of day, which has colons, too. */
const v6 = String.raw`(?!\d\d:\d\d:\d\d\b)(?=[\da-fA-F]{0,4}:[\da-fA-F]{0,4}:)[\da-fA-F.:]{3,45}(?:%\w{1,15})?`
const v4OrV6 = `${v4}|${v6}`
/** A syslog header names its host before the program and the client. */
const isHost = String.raw` [^"\[,]{0,80}[a-z][^"\[,]{0,80} ${v4} - `
/** The common log format and its variants: client, quoted request, status. */
const commonForm = new RegExp(
  String.raw`(?:^|[\s,\[(])(?<client>${v4OrV6})(?!${isHost})\]?(?::\d{1,5})?(?: [^"\[]{0,80})?(?: ?\[[^\]]{1,60}\])? "(?<method>[A-Z]{3,10}) (?<path>[^" ]{1,2000})[^"]{0,20}" (?<status>[1-5]\d\d)\b(?: \S{1,20} "[^"]{0,1000}" "(?<agent>[^"]{0,500})")?`,
)
/** Columns separated by bars: status, duration, client, request. */
const columnForm = new RegExp(
  String.raw`\|\s{0,5}(?<status>[1-5]\d\d)\s{0,5}\|[^|]{1,30}\|\s{0,20}(?<client>${v4OrV6})\s{0,5}\|\s{0,5}(?<method>[A-Z]{3,10})\s{1,10}"?(?<path>[^\s"]{1,2000})`,
)

/** A request line, alone or quoted: `GET /a HTTP/1.1`, `GET https example.net "/a"`. */
const requestLine =
  /(?:^|")(?<method>GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH|CONNECT|TRACE|PROPFIND|REPORT) (?:https? [^\s"]{1,253} )?"?(?<path>(?:\/|\w{2,10}:\/\/)[^\s"]{0,2000})/

/** Names of these fields in JSON and other structured logs: the last part of a dotted name in lower case, letters and digits only. */
const names = {
  client: [
    ...['clientip', 'remoteip', 'remoteaddr', 'remoteaddress', 'client', 'clienthost', 'clientaddr', 'clientaddress'],
    ...['visitorip', 'sourceip', 'srcip', 'realip', 'cip', 'downstreamremoteaddress', 'peerip', 'ip', 'ipaddress'],
  ],
  method: ['method', 'requestmethod', 'httpmethod', 'csmethod', 'verb'],
  path: ['path', 'uri', 'requesturi', 'requestpath', 'csuristem', 'url', 'httppath', 'xenvoyoriginpath', 'urlpath'],
  status: [
    ...['status', 'statuscode', 'downstreamstatus', 'scstatus', 'httpstatus', 'responsecode', 'httpstatuscode'],
    ...['responsestatus', 'code'],
  ],
  agent: ['useragent', 'httpuseragent', 'requestuseragent', 'csuseragent', 'agent'],
  line: ['request', 'requestline', 'httprequest'],
}

const plainName = (name: string): string =>
  name
    .slice(name.lastIndexOf('.') + 1)
    .toLowerCase()
    .replace(/[^a-z\d]/g, '')

const maxDepth = 2
/** Characters of a message that are searched for a request line. */
const maxMessage = 4_096
/** Values of an object and of objects in it, by plain name. */
const flatten = (
  fields: Record<string, unknown>,
  depth = 0,
  into = new Map<string, unknown>(),
): Map<string, unknown> => {
  for (const [key, value] of Object.entries(fields)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      if (depth < maxDepth) flatten(value as Record<string, unknown>, depth + 1, into)
    } else if (!into.has(plainName(key))) into.set(plainName(key), value)
  }
  return into
}

/** `192.0.2.7:4022` and `[2001:db8::7]:4022` without the port, and an IPv4 address without the prefix of sockets of IPv6. */
const plainAddress = (address: string): string =>
  address
    .replace(/^\[(.*)\](?::\d{1,5})?$/, '$1')
    .replace(/^::ffff:(?=\d{1,3}\.)/i, '')
    .replace(/^([^:]*):\d{1,5}$/, '$1')

const fromFields = (fields: Record<string, unknown>, message = ''): WebRequest | undefined => {
  const flat = flatten(fields)
  const firstOf = (known: readonly string[]) => {
    const value = known
      .map((name) => flat.get(name))
      .find((found) => typeof found === 'string' || typeof found === 'number')
    return value === undefined ? '' : String(value)
  }
  const status = Number(firstOf(names.status))
  const client = plainAddress(firstOf(names.client))
  const line = requestLine.exec(firstOf(names.line))?.groups ?? requestLine.exec(message.slice(0, maxMessage))?.groups
  const path = firstOf(names.path) || (line?.path ?? '')
  const method = firstOf(names.method) || (line?.method ?? '')
  // Programs log status 0 for a request that has no status yet or was aborted.
  if (client === '' || path === '' || !(status >= 0 && status < 600) || firstOf(names.status) === '') return undefined
  return { client, method: method.toUpperCase(), path, status, agent: firstOf(names.agent) }
}

/** A JSON object after a header that another program prepended. */
const embeddedFields = (text: string): Record<string, unknown> | undefined => {
  const start = text.indexOf('{"')
  const end = text.lastIndexOf('}')
  if (start < 0 || end < start) return undefined
  try {
    return JSON.parse(text.slice(start, end + 1)) as Record<string, unknown>
  } catch {
    return undefined
  }
}

/** Fields without one of these do not describe a request. The path may be in the message. */
const neededNames = [names.client, [...names.path, ...names.line, 'message'], names.status]

/** Whether fields with these names, one of which may be the message, may describe a request. */
export const mayNameRequest = (fieldNames: readonly string[]): boolean => {
  const plain = new Set(fieldNames.map(plainName))
  return neededNames.every((known) => known.some((name) => plain.has(name)))
}

/** What a format read in an entry. */
export type DescribedEntry = { message: string; fields: Record<string, unknown> | null }

/** The request that an entry reports, if any. `describe` is called if the text itself does not match. */
export const webRequestOf = (text: string, describe: () => DescribedEntry | null): WebRequest | undefined => {
  const found = (
    (text.includes('"') && commonForm.exec(text)) ||
    (text.includes('|') && columnForm.exec(text)) ||
    undefined
  )?.groups
  if (!found) {
    const described = describe()
    const named = described?.fields ? fromFields(described.fields, described.message) : undefined
    if (named) return named
    const embedded = embeddedFields(text)
    return embedded && fromFields(embedded)
  }
  const { client = '', method = '', path = '', status = '', agent = '' } = found
  return { client: plainAddress(client), method, path, status: Number(status), agent }
}
