import type { PageDrift } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import type { Dependencies } from '../dependencies.ts'
import { findPageFields } from './store.ts'

/** The fields of pages that are no longer found as often as before. */
export const driftMessage = async ({ db, config }: Pick<Dependencies, 'db' | 'config'>): Promise<PageDrift> => {
  const fields = await findPageFields(db, config.platform)
  return {
    fields: fields
      .filter(({ isDrifting }) => isDrifting)
      .map(({ page, field, recent, baseline }) => ({ page, field, recent, baseline })),
  }
}
