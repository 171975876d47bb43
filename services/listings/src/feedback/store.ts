import { type Migration, transact } from '@trellis/kit/store'
import type { Kysely, Selectable } from 'kysely'

export type FeedbackTables = {
  /**
   * Feedback of the last hour, without its text: `digest` is that of the user and the text. Times are epoch milliseconds. The issue is
   * null while a replica creates it, until `claimed_until`.
   */
  feedback: {
    digest: string
    user_id: string
    sent_at: number
    claimed_until: number
    issue_number: number | null
    issue_url: string | null
  }
}

export const feedbackMigration = (number: number): Migration => ({
  number,
  name: 'recent feedback',
  up: async (db) => {
    await db.schema
      .createTable('feedback')
      .addColumn('digest', 'text', (column) => column.primaryKey())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('sent_at', 'bigint', (column) => column.notNull())
      .addColumn('claimed_until', 'bigint', (column) => column.notNull())
      .addColumn('issue_number', 'bigint')
      .addColumn('issue_url', 'text')
      .execute()
    await db.schema.createIndex('feedback_by_user').on('feedback').columns(['user_id', 'sent_at']).execute()
    await db.schema.createIndex('feedback_by_time').on('feedback').columns(['sent_at']).execute()
  },
})

export type Db = Kysely<FeedbackTables>
export type FeedbackRow = Selectable<FeedbackTables['feedback']>

const hour = 3_600_000

export type Limits = {
  /** Issues of a user, and of all users, in an hour. */
  readonly user: number
  readonly all: number
  /** For so long the same text returns the same issue. */
  readonly repeatMilliseconds: number
  /** Longer than the creation of an issue takes. */
  readonly claimMilliseconds: number
}

export type Begun =
  | { readonly kind: 'begun' }
  | { readonly kind: 'sent'; readonly row: FeedbackRow }
  | { readonly kind: 'pending' }
  | { readonly kind: 'limited'; readonly retryAfterSeconds: number }

const countSince = async (db: Db, since: number, userId?: string) => {
  const query = db
    .selectFrom('feedback')
    .select(({ fn }) => [fn.countAll().as('count'), fn.min<number | null>('sent_at').as('first')])
    .where('sent_at', '>', since)
  const { count, first } = await (userId === undefined
    ? query
    : query.where('user_id', '=', userId)
  ).executeTakeFirstOrThrow()
  return { count: Number(count), first: first ?? since }
}

/** Claims the creation of an issue for a user's text, unless it exists or is being created, or a limit is reached. */
export const beginFeedback = (
  db: Db,
  { digest, userId, now }: { readonly digest: string; readonly userId: string; readonly now: number },
  limits: Limits,
): Promise<Begun> =>
  transact(db, async (transaction): Promise<Begun> => {
    const known = await findFeedback(transaction, digest)
    if (known !== undefined && known.issue_url !== null && known.sent_at > now - limits.repeatMilliseconds)
      return { kind: 'sent', row: known }
    if (known !== undefined && known.issue_url === null && known.claimed_until > now) return { kind: 'pending' }
    await transaction
      .deleteFrom('feedback')
      .where('sent_at', '<=', now - hour)
      .execute()
    const [own, all] = [await countSince(transaction, now - hour, userId), await countSince(transaction, now - hour)]
    const reached = own.count >= limits.user ? own : all.count >= limits.all ? all : undefined
    if (reached !== undefined) return { kind: 'limited', retryAfterSeconds: (reached.first + hour - now) / 1000 }
    const begun = { sent_at: now, claimed_until: now + limits.claimMilliseconds, issue_number: null, issue_url: null }
    await transaction
      .insertInto('feedback')
      .values({ digest, user_id: userId, ...begun })
      .onConflict((conflict) => conflict.column('digest').doUpdateSet(begun))
      .execute()
    return { kind: 'begun' }
  })

export const findFeedback = (db: Db, digest: string): Promise<FeedbackRow | undefined> =>
  db.selectFrom('feedback').selectAll().where('digest', '=', digest).executeTakeFirst()

export const recordIssue = (db: Db, digest: string, issue: { readonly number: number; readonly url: string }) =>
  db
    .updateTable('feedback')
    .set({ issue_number: issue.number, issue_url: issue.url, claimed_until: 0 })
    .where('digest', '=', digest)
    .execute()

/** Releases the claim after a failure, so that the feedback can be sent again at once. */
export const abandonFeedback = (db: Db, digest: string) =>
  db.deleteFrom('feedback').where('digest', '=', digest).where('issue_url', 'is', null).execute()
