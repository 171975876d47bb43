import { transact } from '@trellis/kit/store'
import type { Kysely, Transaction } from 'kysely'
import type { ChainRow, Db, Decision, MusicTables, NodeRow, StemsRow } from '../store/tables.ts'

/** Inserts a chain and its upload in one transaction, unless `admit` throws. */
export const insertChain = async (
  db: Kysely<MusicTables>,
  chain: ChainRow,
  root: NodeRow,
  admit: (transaction: Transaction<MusicTables>) => Promise<void> = async () => undefined,
): Promise<void> => {
  await transact(db, async (transaction) => {
    await admit(transaction)
    await transaction.insertInto('chains').values(chain).execute()
    await transaction.insertInto('nodes').values(root).execute()
  })
}

export const findChain = (db: Db, id: string, userId: string): Promise<ChainRow | undefined> =>
  db.selectFrom('chains').selectAll().where('id', '=', id).where('user_id', '=', userId).executeTakeFirst()

/** Cursor of a page of chains: the page begins after this chain. */
export type ChainCursor = { createdAt: string; id: string }

/** Newest first. */
export const listChains = (
  db: Db,
  userId: string,
  limit: number,
  after: ChainCursor | undefined,
): Promise<ChainRow[]> => {
  let query = db.selectFrom('chains').selectAll().where('user_id', '=', userId)
  if (after) {
    query = query.where((is) =>
      is.or([
        is('created_at', '<', after.createdAt),
        is.and([is('created_at', '=', after.createdAt), is('id', '<', after.id)]),
      ]),
    )
  }
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
}

export const updateChain = async (db: Db, id: string, changes: Partial<ChainRow>): Promise<void> => {
  await db.updateTable('chains').set(changes).where('id', '=', id).execute()
}

export const deleteChain = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('stems').where('chain_id', '=', id).execute()
  await db.deleteFrom('nodes').where('chain_id', '=', id).execute()
  await db.deleteFrom('chains').where('id', '=', id).execute()
}

/** Ordered by creation. */
export const nodesOfChains = async (db: Db, chainIds: readonly string[]): Promise<NodeRow[]> => {
  if (chainIds.length === 0) return []
  const query = db
    .selectFrom('nodes')
    .selectAll()
    .where('chain_id', 'in', [...chainIds])
  const inOrder = query
    .orderBy('created_at')
    .orderBy('seed', (order) => order.asc().nullsFirst())
    .orderBy('id')
  return inOrder.execute()
}

/** The stems of all nodes of these chains. */
export const stemsOfChains = async (db: Db, chainIds: readonly string[]): Promise<StemsRow[]> => {
  if (chainIds.length === 0) return []
  return db
    .selectFrom('stems')
    .selectAll()
    .where('chain_id', 'in', [...chainIds])
    .execute()
}

/** A chain of any user, with its nodes. */
export const findTree = async (db: Db, chainId: string): Promise<{ chain: ChainRow; nodes: NodeRow[] } | undefined> => {
  const chain = await db.selectFrom('chains').selectAll().where('id', '=', chainId).executeTakeFirst()
  return chain && { chain, nodes: await nodesOfChains(db, [chainId]) }
}

export const findNode = (db: Db, id: string): Promise<NodeRow | undefined> =>
  db.selectFrom('nodes').selectAll().where('id', '=', id).executeTakeFirst()

export const insertNodes = async (db: Db, nodes: readonly NodeRow[]): Promise<void> => {
  await db
    .insertInto('nodes')
    .values([...nodes])
    .execute()
}

export const deleteNodes = async (db: Db, ids: readonly string[]): Promise<void> => {
  await db
    .deleteFrom('nodes')
    .where('id', 'in', [...ids])
    .execute()
}

/** Updates a node if this is still its run; returns the updated node, or undefined if it was removed or has another run. */
export const updateGenerating = (
  db: Db,
  { id, runId }: { id: string; runId: string },
  changes: Partial<NodeRow>,
): Promise<NodeRow | undefined> => {
  const query = db.updateTable('nodes').set(changes).where('id', '=', id).where('run_id', '=', runId)
  return query.where('status', '=', 'generating').returningAll().executeTakeFirst()
}

/** The new run of a failed node, and the parameters that change. */
export type Restart = Pick<NodeRow, 'attempt'> & { run_id: string } & Partial<
    Pick<NodeRow, 'prompt' | 'seed' | 'frames' | 'context_seconds' | 'generator' | 'input_key'>
  >

/** Assigns a new run to a failed node; undefined if it has not failed, or another request was faster. */
export const restartNode = (db: Db, id: string, restart: Restart): Promise<NodeRow | undefined> => {
  const changes = { status: 'generating', progress: 0, error: null, started_at: null, ...restart } as const
  const query = db.updateTable('nodes').set(changes).where('id', '=', id).where('status', '=', 'error')
  return query.returningAll().executeTakeFirst()
}

export const setDecisions = async (db: Db, decisions: ReadonlyMap<string, Decision>): Promise<void> => {
  for (const [id, decision] of decisions) await db.updateTable('nodes').set({ decision }).where('id', '=', id).execute()
}

export const generatingNodes = (db: Db): Promise<NodeRow[]> =>
  db.selectFrom('nodes').selectAll().where('status', '=', 'generating').execute()
