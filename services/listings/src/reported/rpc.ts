import { invalidField, serviceError } from '@trellis/kit/errors'
import type { Handlers } from '@trellis/kit/rpc'
import type { ReportedSellersServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/reported.ts'
import type { Dependencies } from '../dependencies.ts'
import { hasStore, requireSession } from '../session/access.ts'
import { addReports, maxReported, reportedSellers } from './store.ts'

export const reportedRpc = ({
  db,
  config,
  now,
}: Pick<Dependencies, 'db' | 'config' | 'now'>): Handlers<typeof ReportedSellersServiceDefinition> => ({
  listReportedSellers: async (_request, { caller }) => ({
    reported: hasStore(caller) ? await reportedSellers(db, caller.userId, config.platform) : [],
  }),
  reportSellers: async ({ sellers }, { caller }) => {
    const userId = requireSession(caller, 'report sellers')
    const reports = sellers.map(({ platformSellerId, username }, index) => {
      const id = platformSellerId.trim()
      if (id === '') throw invalidField(['body', 'sellers', index, 'platform_seller_id'], 'must not be blank')
      return { platformSellerId: id, username: username?.trim() || null }
    })
    if (reports.length === 0) return {}
    if (!(await addReports(db, { userId, platform: config.platform, now: now() }, reports)))
      throw serviceError('conflict', `You have reported ${maxReported} sellers, which is the maximum.`)
    return {}
  },
})
