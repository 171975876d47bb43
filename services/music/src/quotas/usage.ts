import type { Db } from '../store/tables.ts'

/** Stems of a node, each as long as the node. */
const stemsPerNode = 4

/** Samples of the stems of a user's nodes, including those that are being made. */
const stemSamplesOf = async (db: Db, userId: string): Promise<number> => {
  const { samples } = await db
    .selectFrom('stems')
    .innerJoin('nodes', 'nodes.id', 'stems.node_id')
    .innerJoin('chains', 'chains.id', 'nodes.chain_id')
    .select(({ fn, eb }) => fn.sum(eb('nodes.frames', '*', eb.ref('chains.channels'))).as('samples'))
    .where('chains.user_id', '=', userId)
    .where('stems.status', '!=', 'error')
    .executeTakeFirstOrThrow()
  return stemsPerNode * Number(samples ?? 0)
}

/** Samples of all channels of a user's nodes and their stems, including those that are being generated. */
export const samplesOf = async (db: Db, userId: string): Promise<number> => {
  const { samples } = await db
    .selectFrom('nodes')
    .innerJoin('chains', 'chains.id', 'nodes.chain_id')
    .select(({ fn, eb }) => fn.sum(eb('nodes.frames', '*', eb.ref('chains.channels'))).as('samples'))
    .where('chains.user_id', '=', userId)
    .where('nodes.status', '!=', 'error')
    .executeTakeFirstOrThrow()
  return Number(samples ?? 0) + (await stemSamplesOf(db, userId))
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

/** Number of a user's nodes whose stems are being made. */
export const separatingOf = async (db: Db, userId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('stems')
    .innerJoin('chains', 'chains.id', 'stems.chain_id')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('stems.status', '=', 'generating')
    .where('chains.user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return Number(count)
}
