import { setTimeout } from 'node:timers/promises'
import type { PageDrift } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import type { Dependencies } from '../dependencies.ts'
import { findPageFields, type PageField } from './store.ts'

/** Timeout for reading the rates, in milliseconds: a health check does not depend on the database. */
const patience = 1_000

/** The fields of pages that are no longer found; null if there are none, or the database is unavailable. */
export const driftMessage = async ({ db, config, log }: Dependencies): Promise<PageDrift | null> => {
  const ended = new AbortController()
  const late = setTimeout(patience, [], { signal: ended.signal }).catch(() => [])
  const read = findPageFields(db, config.platform).catch((error: unknown): readonly PageField[] => {
    log.warn({ err: error }, 'listings: rates of page fields cannot be read')
    return []
  })
  const fields = (await Promise.race([read, late])).filter(({ isDrifting }) => isDrifting)
  ended.abort()
  return fields.length === 0
    ? null
    : { fields: fields.map(({ page, field, recent, baseline }) => ({ page, field, recent, baseline })) }
}
