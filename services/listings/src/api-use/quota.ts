import { type ServiceError, serviceError } from '@trellis/kit/errors'
import type { ApiQuota } from '../marketplace/adapter.ts'

/** The refusal of a call to an API whose daily quota is used up; undefined if calls are left, or the quota has been reset since. */
export const quotaRefusal = (quota: ApiQuota | null, now: Date): ServiceError | undefined => {
  if (quota === null || quota.remaining > 0 || quota.resetsAt === null) return undefined
  const left = Date.parse(quota.resetsAt) - now.getTime()
  return left <= 0
    ? undefined
    : serviceError(
        'upstream_failed',
        `The marketplace API's quota of ${quota.limit} calls a day is used up until ${quota.resetsAt}: search with adapter=scraper, or later.`,
        { retryAfterSeconds: Math.ceil(left / 1000) },
      )
}
