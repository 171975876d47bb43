import type { Db } from '../store/tables.ts'

/** Samples of all channels of a user's nodes, including those that are being generated. */
export const samplesOf = async (db: Db, userId: string): Promise<number> => {
  const { samples } = await db
    .selectFrom('nodes')
    .innerJoin('chains', 'chains.id', 'nodes.chain_id')
    .select(({ fn, eb }) => fn.sum(eb('nodes.frames', '*', eb.ref('chains.channels'))).as('samples'))
    .where('chains.user_id', '=', userId)
    .where('nodes.status', '!=', 'error')
    .executeTakeFirstOrThrow()
  return Number(samples ?? 0)
}

export const chainsOf = async (db: Db, userId: string): Promise<number> => {
  const query = db.selectFrom('chains').select(({ fn }) => fn.countAll().as('count'))
  return Number((await query.where('user_id', '=', userId).executeTakeFirstOrThrow()).count)
}

/** Number of a user's nodes that are being generated. */
export const generatingOf = async (db: Db, userId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('nodes')
    .innerJoin('chains', 'chains.id', 'nodes.chain_id')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('nodes.status', '=', 'generating')
    .where('chains.user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return Number(count)
}
