import { type DnsFilter, type FilterAccess, FilterFailure, type FilterKind } from './dns-filter.ts'
import { at, type FilterResponse, messageOf, sendRequest } from './filter-request.ts'

/** Pi-hole 5 responds 200 to a wrong token, with an empty list, an empty body or a sentence: the body decides. */
const isUnauthorized = ({ status, json, text }: FilterResponse): boolean =>
  status === 401 || (Array.isArray(json) && json.length === 0) || text.trim() === '' || /not authorized/i.test(text)

/** Pi-hole 5: /admin/api.php, with a token in the URL, so that no message contains the URL. */
const open = (access: FilterAccess): DnsFilter => {
  const request = async (parameters: Record<string, string>, signal: AbortSignal): Promise<FilterResponse> => {
    const query = new URLSearchParams({ ...parameters, auth: access.key })
    const response = await sendRequest(access, { path: `/admin/api.php?${query}`, signal })
    if (isUnauthorized(response)) throw new FilterFailure('Pi-hole rejects the token: find it under Settings, API.')
    if (response.status !== 200 || typeof response.json !== 'object')
      throw new FilterFailure(`This is not Pi-hole 5: ${messageOf(response)}`)
    return response
  }
  const change = async (action: 'add' | 'sub', domain: string, signal: AbortSignal): Promise<void> => {
    const response = await request({ list: 'black', [action]: domain }, signal)
    if (at(response.json, 'success') === true) return
    const isGone = action === 'sub' && /not (?:found|exist|on the list)|does not exist/i.test(response.text)
    if (!isGone)
      throw new FilterFailure(
        `Pi-hole refused to ${action === 'add' ? 'block' : 'unblock'} ${domain}: ${messageOf(response)}`,
      )
  }
  return {
    test: async (signal) => {
      // Older versions report their status without a token: only the list requires it.
      await request({ list: 'black' }, signal)
      const status = at((await request({ status: '' }, signal)).json, 'status')
      return `Pi-hole 5 accepts the token; blocking is ${typeof status === 'string' ? status : 'of unknown state'}.`
    },
    block: (domain, signal) => change('add', domain, signal),
    unblock: (domain, signal) => change('sub', domain, signal),
    [Symbol.asyncDispose]: async () => undefined,
  }
}

export const pihole5: FilterKind = { name: 'Pi-hole 5', open }
