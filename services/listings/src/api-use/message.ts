import { Adapter, type ApiUse } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { chooseAdapter } from '../choose-adapter.ts'
import type { Dependencies } from '../dependencies.ts'
import { findUse } from './store.ts'

/** Today's use of the API, in the API's form; null where none is configured. */
export const apiUseMessage = async ({ db, config, now }: Dependencies): Promise<ApiUse | null> => {
  if (chooseAdapter(Adapter.AUTO, config) !== 'api') return null
  const { callsToday, quota } = await findUse(db, config.platform, now())
  return {
    callsToday,
    callLimit: quota?.limit ?? null,
    remaining: quota?.remaining ?? null,
    resetsAt: quota?.resetsAt ?? null,
    readAt: quota?.readAt ?? null,
  }
}
