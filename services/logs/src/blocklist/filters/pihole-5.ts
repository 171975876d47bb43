import { ask, at, type FilterAnswer, wordsOf } from './ask.ts'
import { type DnsFilter, type FilterAccess, FilterFailure, type FilterKind } from './dns-filter.ts'

/** Pi-hole 5 answers 200 to a wrong token, with an empty list, nothing, or a sentence: the body is what counts. */
const isUnauthorized = ({ status, json, text }: FilterAnswer): boolean =>
  status === 401 || (Array.isArray(json) && json.length === 0) || text.trim() === '' || /not authorized/i.test(text)

/** Pi-hole 5: /admin/api.php, with a token in the address, which therefore is in no text of ours. */
const open = (access: FilterAccess): DnsFilter => {
  const request = async (parameters: Record<string, string>, signal: AbortSignal): Promise<FilterAnswer> => {
    const query = new URLSearchParams({ ...parameters, auth: access.key })
    const answer = await ask(access, { path: `/admin/api.php?${query}`, signal })
    if (isUnauthorized(answer)) throw new FilterFailure('Pi-hole does not take the token: find it under Settings, API.')
    if (answer.status !== 200 || typeof answer.json !== 'object')
      throw new FilterFailure(`This is no Pi-hole 5: ${wordsOf(answer)}`)
    return answer
  }
  const change = async (doing: 'add' | 'sub', domain: string, signal: AbortSignal): Promise<void> => {
    const answer = await request({ list: 'black', [doing]: domain }, signal)
    if (at(answer.json, 'success') === true) return
    const isGone = doing === 'sub' && /not (?:found|exist|on the list)|does not exist/i.test(answer.text)
    if (!isGone)
      throw new FilterFailure(
        `Pi-hole refused to ${doing === 'add' ? 'block' : 'unblock'} ${domain}: ${wordsOf(answer)}`,
      )
  }
  return {
    test: async (signal) => {
      // Older ones tell their status to everybody: the list is what needs the token.
      await request({ list: 'black' }, signal)
      const status = at((await request({ status: '' }, signal)).json, 'status')
      return `Pi-hole 5 takes the token; blocking is ${typeof status === 'string' ? status : 'of unknown state'}.`
    },
    block: (domain, signal) => change('add', domain, signal),
    unblock: (domain, signal) => change('sub', domain, signal),
    [Symbol.asyncDispose]: async () => undefined,
  }
}

export const pihole5: FilterKind = { name: 'Pi-hole 5', open }
