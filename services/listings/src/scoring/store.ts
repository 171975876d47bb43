import type { Selectable } from 'kysely'
import type { Db, Tables } from '../store/tables.ts'
import type { TrustScore } from './score.ts'
import type { MarketPrice } from './signals.ts'

export type TrustScoreRow = Selectable<Tables['trust_scores']>

/** A listing's share of its search's batch: enough to rescore it alone. */
export type StoredContext = {
  readonly priceVariation: number | null
  readonly hasDuplicatePhoto: boolean
  readonly compQuery: string
  /** The price that it was compared with; undefined in rows from before it was stored. */
  readonly market?: MarketPrice | null
}

export type ScoreToSave = { readonly listingId: number; readonly score: TrustScore; readonly context: StoredContext }

const rowsPerStatement = 500

/** Scores whose listing has not been deleted since it was read: no other would ever be deleted. */
const ofStored = async (db: Db, scores: readonly ScoreToSave[]): Promise<readonly ScoreToSave[]> => {
  const ids = scores.map(({ listingId }) => listingId)
  const rows = await db.selectFrom('listings').select('id').where('id', 'in', ids).execute()
  const stored = new Set(rows.map(({ id }) => id))
  return scores.filter(({ listingId }) => stored.has(listingId))
}

/** Saves scores, replacing earlier ones of the same listings; a photo analysis is preserved. Scores of listings that were deleted are dropped. */
export const saveScores = async (db: Db, scores: readonly ScoreToSave[]): Promise<readonly TrustScoreRow[]> => {
  const saved: TrustScoreRow[] = []
  for (let start = 0; start < scores.length; start += rowsPerStatement) {
    const current = await ofStored(db, scores.slice(start, start + rowsPerStatement))
    if (current.length === 0) continue
    const rows = current.map(({ listingId, score, context }) => ({
      listing_id: listingId,
      score_json: JSON.stringify(score),
      composite_score: score.compositeScore,
      context_json: JSON.stringify(context),
      scored_at: score.scoredAt,
    }))
    const written = await db
      .insertInto('trust_scores')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('listing_id').doUpdateSet((eb) => ({
          score_json: eb.ref('excluded.score_json'),
          composite_score: eb.ref('excluded.composite_score'),
          context_json: eb.ref('excluded.context_json'),
          scored_at: eb.ref('excluded.scored_at'),
        })),
      )
      .returningAll()
      .execute()
    saved.push(...written)
  }
  return saved
}

export const findScore = (db: Db, listingId: number): Promise<TrustScoreRow | undefined> =>
  db.selectFrom('trust_scores').selectAll().where('listing_id', '=', listingId).executeTakeFirst()

/** Which of these listings have a photo analysis. */
export const findAnalysed = async (db: Db, listingIds: readonly number[]): Promise<ReadonlySet<number>> => {
  const found = new Set<number>()
  for (let start = 0; start < listingIds.length; start += rowsPerStatement) {
    const rows = await db
      .selectFrom('trust_scores')
      .select('listing_id')
      .where('listing_id', 'in', listingIds.slice(start, start + rowsPerStatement))
      .where('photo_analysis_json', 'is not', null)
      .execute()
    for (const { listing_id } of rows) found.add(listing_id)
  }
  return found
}

/** Stores a photo analysis (JSON text) with a listing's score. */
export const savePhotoAnalysis = async (db: Db, listingId: number, analysis: string): Promise<void> => {
  await db
    .updateTable('trust_scores')
    .set({ photo_analysis_json: analysis })
    .where('listing_id', '=', listingId)
    .execute()
}

export const scoreOf = (row: TrustScoreRow): TrustScore => JSON.parse(row.score_json) as TrustScore
export const contextOf = (row: TrustScoreRow): StoredContext => JSON.parse(row.context_json) as StoredContext
