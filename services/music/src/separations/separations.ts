import { invalidField, serviceError, toServiceError } from '@trellis/kit/errors'
import type { Caller } from '@trellis/kit/rpc'
import { transact } from '@trellis/kit/store'
import { storedLayout } from '../audio/stored-audio.ts'
import { requireReady } from '../chains/access.ts'
import { publishStems, publishStemsRemoved } from '../chains/events.ts'
import { newId } from '../chains/ids.ts'
import { removeDeliveriesOf } from '../chains/remove-files.ts'
import { findNode } from '../chains/store.ts'
import type { Dependencies } from '../dependencies.ts'
import { requireBytes, requireSeparation } from '../quotas/quotas.ts'
import { stemNames } from '../stems/stem-names.ts'
import type { ChainRow, NodeRow, StemsRow } from '../store/tables.ts'
import { cleanUpStems } from './clean-up.ts'
import { separationQueue } from './job.ts'
import { deleteStems, findStems, putStems, updateSeparating } from './store.ts'

type Requested = { readonly chain: ChainRow; readonly node: NodeRow; readonly caller: Caller }

/** Requests and deletes stems; `drivers.ts` makes them. */
export type Separations = {
  /** The stems of a node: those that exist or are being made, or new ones. */
  request(requested: Requested): Promise<StemsRow>
  /** Deletes the stems of a node; a separation in progress is stopped. */
  remove(node: NodeRow): Promise<void>
}

const newStems = ({ chain, node }: Requested, time: string): StemsRow => ({
  node_id: node.id,
  chain_id: chain.id,
  status: 'generating',
  run_id: newId(),
  progress: 0,
  method: null,
  error: null,
  folder: null,
  energy_shares: '[]',
  created_at: time,
  ready_at: null,
})

/** Stems that need not be made again: only failed ones are. */
const isValid = (stems: StemsRow | undefined): stems is StemsRow => stems !== undefined && stems.status !== 'error'

export const createSeparations = (dependencies: Dependencies): Separations => {
  const { db, bus, files, config, now } = dependencies

  const insert = (requested: Requested): Promise<{ stems: StemsRow; isNew: boolean }> => {
    const { chain, node, caller } = requested
    return transact(db, async (transaction) => {
      const present = await findStems(transaction, node.id)
      if (isValid(present)) return { stems: present, isNew: false }
      if (!(await findNode(transaction, node.id))) throw serviceError('not_found', 'The node has just been removed.')
      await requireSeparation(transaction, caller.userId, config)
      const bytes = stemNames.length * node.frames * chain.channels * storedLayout.bytes
      await requireBytes(transaction, caller, config, bytes)
      const stems = newStems(requested, now().toISOString())
      await putStems(transaction, stems)
      return { stems, isNew: true }
    })
  }

  return {
    async request(requested) {
      const { chain, node } = requested
      requireReady(node)
      if (node.frames > config.maxSeconds * chain.sample_rate)
        throw invalidField(['path', 'node_id'], `The node is longer than ${config.maxSeconds} s, which is the limit.`)
      const { stems, isNew } = await insert(requested)
      if (!isNew) return stems
      await publishStems(bus, stems)
      const job = { nodeId: node.id, runId: stems.run_id }
      try {
        await bus.enqueue(separationQueue, job, job.runId)
      } catch (error) {
        const changes = { status: 'error', error: toServiceError(error).message } as const
        const failed = await updateSeparating(db, job, changes)
        if (failed) await publishStems(bus, failed)
        throw error
      }
      return stems
    },

    async remove(node) {
      const stems = await deleteStems(db, node.id)
      if (!stems) return
      await publishStemsRemoved(bus, stems)
      // The driver of a separation in progress, wherever it runs, finds no row and cleans up.
      if (stems.status !== 'generating') await cleanUpStems(dependencies, node.id)
      await removeDeliveriesOf(files, node.id, stemNames)
    },
  }
}
