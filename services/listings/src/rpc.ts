import { randomUUID } from 'node:crypto'
import { invalidField } from '@trellis/kit/errors'
import type { Handlers } from '@trellis/kit/rpc'
import type { ListingsServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { apiUseMessage } from './api-use/message.ts'
import { chooseAdapter } from './choose-adapter.ts'
import { lookUpComp } from './comps/look-up.ts'
import type { Dependencies } from './dependencies.ts'
import { enrich } from './enrich/enrich.ts'
import { unknownListing } from './found/unknown-listing.ts'
import { driftMessage } from './page-drift/message.ts'
import { planSearch } from './query/plan.ts'
import { readListing } from './results/read-listing.ts'
import { answerFrame, rawAnswer } from './results/wire.ts'
import { markDemo } from './runs/marketplace.ts'
import { searchNow, startEmptySearch, startSearch } from './search/search.ts'
import { cancelSearch, watchUpdates } from './search/watch.ts'
import { featuresOf } from './session/features.ts'
import { guestId } from './session/guests.ts'

/** The guest's cookie, as specified: readable by the page, for a day, under the service's mount; issued over TLS, it is Secure. */
const guestCookie = (id: string, origin: string | undefined): string =>
  `listing_guest=${id}; Max-Age=86400; Path=/listings; SameSite=Lax${origin?.startsWith('https:') ? '; Secure' : ''}`

/** The handlers of the listings service. */
export const listingsRpc = (dependencies: Dependencies): Handlers<typeof ListingsServiceDefinition> => ({
  search: async (request, call) => {
    const plan = planSearch(request, call.caller.tier, dependencies.config)
    markDemo(dependencies, call.head)
    if (plan === undefined)
      return rawAnswer(
        [],
        await answerFrame(dependencies, chooseAdapter(request.adapter, dependencies.config), null, call.caller),
      )
    return searchNow(dependencies, request, call)
  },
  searchAsync: async (request, call) => {
    const plan = planSearch(request, call.caller.tier, dependencies.config)
    markDemo(dependencies, call.head)
    const sessionId =
      plan === undefined
        ? await startEmptySearch(dependencies, chooseAdapter(request.adapter, dependencies.config), call.caller)
        : await startSearch(dependencies, request, call)
    return { sessionId, status: 'queued' }
  },
  watchUpdates: (request, call) => watchUpdates(dependencies, request, call),
  cancelSearch: async ({ sessionId }, call) => {
    await cancelSearch(dependencies, sessionId, call)
    return {}
  },
  getSession: async (_request, { caller, head, origin }) => {
    const features = { ...featuresOf(caller.tier) }
    if (caller.kind !== 'anonymous') {
      const apiUse = caller.kind === 'guest' ? null : await apiUseMessage(dependencies)
      return { userId: caller.userId, tier: caller.tier, features, apiUse }
    }
    const id = randomUUID()
    head.header('set-cookie', guestCookie(id, origin))
    return { userId: guestId(id), tier: caller.tier, features, apiUse: null }
  },
  enrich: (request, call) => enrich(dependencies, request, call),
  getListing: async ({ platformListingId }, { caller }) => {
    const found = await readListing(dependencies, caller.userId, platformListingId)
    if (found === undefined) throw unknownListing(platformListingId, caller)
    return found
  },
  getComps: async ({ q }, call) => {
    const query = q.trim()
    if (query === '') throw invalidField(['query', 'q'], 'must not be blank')
    markDemo(dependencies, call.head)
    return lookUpComp(dependencies, query, call)
  },
  getPageDrift: () => driftMessage(dependencies),
  getApiHealth: async () => ({ status: 'ok' }),
  getHealth: async () => ({ status: 'ok' }),
})
