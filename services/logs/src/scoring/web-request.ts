/** A request as a web server or proxy logs it. */
export type WebRequest = { client: string; method: string; path: string; status: number }

const v4OrV6 = String.raw`[\da-f.:]{3,45}`
/** The common log format and its many relatives: who, a quoted request, a status. */
const commonForm = new RegExp(
  String.raw`(?:^|[\s,\[(])(?<client>${v4OrV6})\]?(?: [^"\[]{0,80})?(?: ?\[[^\]]{1,60}\])? "(?<method>[A-Z]{3,10}) (?<path>[^" ]{1,2000})[^"]{0,20}" (?<status>[1-5]\d\d)\b`,
)

/** The names under which JSON and other structured logs have the same. */
const names = {
  client: [
    'client_ip',
    'clientip',
    'client',
    'remote_addr',
    'remote_ip',
    'remote_address',
    'clienthost',
    'clientaddr',
    'src_ip',
    'c-ip',
    'ip',
  ],
  method: ['method', 'request_method', 'requestmethod', 'cs-method', 'http_method'],
  path: ['path', 'uri', 'request_uri', 'requestpath', 'cs-uri-stem', 'url'],
  status: ['status', 'status_code', 'downstreamstatus', 'sc-status', 'http_status', 'response_code', 'code'],
}

const mostDepth = 2
/** Values of an object and of objects in it, by name in lower case. */
const flatten = (
  fields: Record<string, unknown>,
  depth = 0,
  into = new Map<string, unknown>(),
): Map<string, unknown> => {
  for (const [key, value] of Object.entries(fields)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      if (depth < mostDepth) flatten(value as Record<string, unknown>, depth + 1, into)
    } else if (!into.has(key.toLowerCase())) into.set(key.toLowerCase(), value)
  }
  return into
}

const fromFields = (fields: Record<string, unknown>): WebRequest | undefined => {
  const flat = flatten(fields)
  const firstOf = (known: readonly string[]) => {
    const value = known
      .map((name) => flat.get(name))
      .find((found) => typeof found === 'string' || typeof found === 'number')
    return value === undefined ? '' : String(value)
  }
  const status = Number(firstOf(names.status))
  const client = firstOf(names.client).replace(/:\d{1,5}$/, '')
  const path = firstOf(names.path)
  if (client === '' || path === '' || !(status >= 100 && status < 600)) return undefined
  return { client, method: firstOf(names.method), path, status }
}

/** The request that an entry tells of; undefined where it tells of none. */
export const webRequestOf = (text: string, fields: Record<string, unknown> | null): WebRequest | undefined => {
  const found = commonForm.exec(text)?.groups
  if (!found) return fields ? fromFields(fields) : undefined
  const { client = '', method = '', path = '', status = '' } = found
  return { client, method, path, status: Number(status) }
}
