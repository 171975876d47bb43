import { type DnsFilter, type FilterAccess, FilterFailure, type FilterKind } from './dns-filter.ts'
import { at, type FilterRequest, type FilterResponse, messageOf, sendRequest } from './filter-request.ts'

/** A concurrent writer of the list may drop our rule: it is added again up to this many times. */
const maxRetries = 3

const ruleOf = (domain: string): string => `||${domain}^`

const isText = (value: unknown): value is string => typeof value === 'string'

/**
 * AdGuard Home 0.107: /control, with Basic authentication. Its rules are one list that is replaced as a whole, so that writers must exclude each
 * other: replicas do by the lease that callers hold; changes by other writers are detected by reading the list afterwards.
 */
const open = (access: FilterAccess): DnsFilter => {
  const authorization = `Basic ${Buffer.from(access.key).toString('base64')}`
  const request = async (options: FilterRequest): Promise<FilterResponse> => {
    const secrets = [authorization.slice('Basic '.length), access.key.slice(access.key.indexOf(':') + 1)]
    const response = await sendRequest(access, {
      ...options,
      path: `/control${options.path}`,
      headers: { authorization },
      secrets,
    })
    if (response.status === 401 || response.status === 403)
      throw new FilterFailure(`AdGuard Home rejects the user and password: ${messageOf(response)}`)
    if (response.status === 429)
      throw new FilterFailure(`AdGuard Home blocks this client after too many failed attempts: ${messageOf(response)}`)
    if (response.status !== 200) throw new FilterFailure(`AdGuard Home refused: ${messageOf(response)}`)
    return response
  }
  const rules = async (signal: AbortSignal): Promise<string[]> => {
    const response = await request({ path: '/filtering/status', signal })
    // A list that was never written is null.
    const found = at(response.json, 'user_rules') ?? []
    if (!Array.isArray(found) || !found.every(isText) || at(response.json, 'enabled') === undefined)
      throw new FilterFailure(`This is not AdGuard Home: ${messageOf(response)}`)
    return found
  }
  /** Writes the list until it has the change. */
  const change = async (
    isDone: (rules: string[]) => boolean,
    next: (rules: string[]) => string[],
    signal: AbortSignal,
  ) => {
    for (let attempt = 0; attempt <= maxRetries; attempt += 1) {
      const current = await rules(signal)
      if (isDone(current)) return
      await request({ method: 'POST', path: '/filtering/set_rules', json: { rules: next(current) }, signal })
    }
    if (!isDone(await rules(signal)))
      throw new FilterFailure('AdGuard Home lost the change: another client writes its rules at the same time.')
  }
  return {
    test: async (signal) => {
      await rules(signal)
      const { json } = await request({ path: '/status', signal })
      const isProtecting = at(json, 'protection_enabled') === true
      return `AdGuard Home ${String(at(json, 'version') ?? '')} accepts the user and password; protection is ${isProtecting ? 'enabled' : 'disabled'}.`
    },
    block: async (domain, signal) => {
      const rule = ruleOf(domain)
      await change(
        (all) => all.includes(rule),
        (all) => [...all, rule],
        signal,
      )
      const { json } = await request({ path: `/filtering/check_host?name=${encodeURIComponent(domain)}`, signal })
      const reason = at(json, 'reason')
      if (isText(reason) && !reason.startsWith('Filtered'))
        throw new FilterFailure(
          `AdGuard Home has the rule ${rule} but does not block ${domain}: ${reason}. An allow rule or a disabled filter may override it.`,
        )
    },
    unblock: async (domain, signal) => {
      const rule = ruleOf(domain)
      await change(
        (all) => !all.includes(rule),
        (all) => all.filter((other) => other !== rule),
        signal,
      )
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}

export const adguardHome: FilterKind = {
  name: 'AdGuard Home',
  problemOfKey: (key) =>
    /^[^:]+:/.test(key)
      ? undefined
      : 'For AdGuard Home, dns_filter_api_key must be user:password: its API has no other keys.',
  open,
}
