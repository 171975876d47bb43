import { ask, at, type FilterAnswer, type Question, wordsOf } from './ask.ts'
import { type DnsFilter, type FilterAccess, FilterFailure, type FilterKind } from './dns-filter.ts'

/** Another who writes the list at the same moment takes our rule with it: so often it is put in again. */
const attempts = 3

const ruleOf = (domain: string): string => `||${domain}^`

const isText = (value: unknown): value is string => typeof value === 'string'

/**
 * AdGuard Home 0.107: /control, with Basic authentication. Its rules are one list that is replaced as a whole, so whoever changes it must be
 * alone: among ourselves by the lock that callers hold, and against others by looking afterwards.
 */
const open = (access: FilterAccess): DnsFilter => {
  const authorization = `Basic ${Buffer.from(access.key).toString('base64')}`
  const request = async (question: Question): Promise<FilterAnswer> => {
    const secrets = [authorization.slice('Basic '.length), access.key.slice(access.key.indexOf(':') + 1)]
    const answer = await ask(access, {
      ...question,
      path: `/control${question.path}`,
      headers: { authorization },
      secrets,
    })
    if (answer.status === 401 || answer.status === 403)
      throw new FilterFailure(`AdGuard Home does not take the user and password: ${wordsOf(answer)}`)
    if (answer.status === 429)
      throw new FilterFailure(`AdGuard Home shuts out for too many failed attempts: ${wordsOf(answer)}`)
    if (answer.status !== 200) throw new FilterFailure(`AdGuard Home refused: ${wordsOf(answer)}`)
    return answer
  }
  const rules = async (signal: AbortSignal): Promise<string[]> => {
    const answer = await request({ path: '/filtering/status', signal })
    // A list that was never written is null.
    const found = at(answer.json, 'user_rules') ?? []
    if (!Array.isArray(found) || !found.every(isText) || at(answer.json, 'enabled') === undefined)
      throw new FilterFailure(`This is no AdGuard Home: ${wordsOf(answer)}`)
    return found
  }
  /** Changes the list until what is wanted is so. */
  const change = async (
    isDone: (rules: string[]) => boolean,
    next: (rules: string[]) => string[],
    signal: AbortSignal,
  ) => {
    for (let attempt = 0; attempt <= attempts; attempt += 1) {
      const now = await rules(signal)
      if (isDone(now)) return
      await request({ method: 'POST', path: '/filtering/set_rules', json: { rules: next(now) }, signal })
    }
    if (!isDone(await rules(signal)))
      throw new FilterFailure('AdGuard Home does not keep the change: somebody else writes its rules at the same time.')
  }
  return {
    test: async (signal) => {
      await rules(signal)
      const { json } = await request({ path: '/status', signal })
      const isProtecting = at(json, 'protection_enabled') === true
      return `AdGuard Home ${String(at(json, 'version') ?? '')} takes the user and password; protection is ${isProtecting ? 'enabled' : 'disabled'}.`
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
          `AdGuard Home has the rule ${rule} but does not block ${domain}: ${reason}. An allow rule or a disabled filter may stand against it.`,
        )
    },
    unblock: async (domain, signal) => {
      const rule = ruleOf(domain)
      await change(
        (all) => !all.includes(rule),
        (all) => all.filter((known) => known !== rule),
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
      : 'For AdGuard Home, dns_filter_api_key must be user:password: its API knows no other keys.',
  open,
}
