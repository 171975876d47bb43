import { serviceError, toServiceError } from '@trellis/kit/errors'
import { transact } from '@trellis/kit/store'
import type { ChainTree } from '../chains/access.ts'
import { publishNode } from '../chains/events.ts'
import { findNode, restartNode } from '../chains/store.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Db, NodeRow } from '../store/tables.ts'
import { changeGenerating } from './drive.ts'
import { faultOfInput } from './input-key.ts'
import { generationQueue, generationRun } from './job.ts'

/** Starts and stops generations for requests; `drivers.ts` follows them. */
export type Generations = {
  /** Starts the run of a node that is marked as generating. Throws if there is no capacity for it. */
  start(tree: ChainTree, node: NodeRow): Promise<void>
  /**
   * Restarts a failed node; undefined if it has not failed. `admit` runs in the same transaction after the node was changed: if
   * it throws, the restart is rolled back.
   */
  retry(tree: ChainTree, node: NodeRow, admit: (transaction: Db) => Promise<void>): Promise<NodeRow | undefined>
  /** Cancels a node's run, if there is one. */
  stop(node: NodeRow): Promise<void>
}

export const createGenerations = (dependencies: Dependencies): Generations => {
  const { db, bus, workloads, config } = dependencies

  /** Requests the run here, so that the caller receives a refusal; any replica may follow it. */
  const start = async (tree: ChainTree, node: NodeRow): Promise<void> => {
    const fault = faultOfInput(node.input_key, tree.nodes)
    if (fault !== undefined) throw serviceError('invalid', fault)
    const run = generationRun(tree, node, config)
    await workloads.run(run)
    await bus.enqueue(generationQueue, { nodeId: node.id, runId: run.runId }, run.runId)
    // If the node was removed after its row was written, it was stopped before there was a run to cancel.
    if (!(await findNode(db, node.id))) await workloads.cancel({ runId: run.runId })
  }

  return {
    start,
    async retry(tree, node, admit) {
      const attempt = node.attempt + 1
      const runId = `generate-${node.id}-${attempt}`
      const restarted = await transact(db, async (transaction) => {
        const changed = await restartNode(transaction, node.id, { run_id: runId, attempt })
        if (changed) await admit(transaction)
        return changed
      })
      if (!restarted) return undefined
      await publishNode(bus, restarted)
      try {
        await start(tree, restarted)
      } catch (error) {
        const changes = { status: 'error', error: toServiceError(error).message } as const
        await changeGenerating(dependencies, { nodeId: node.id, runId }, changes)
        throw error
      }
      return restarted
    },
    async stop(node) {
      if (node.run_id) await workloads.cancel({ runId: node.run_id })
    },
  }
}

/** The error for a node that cannot be retried. */
export const notRetryable = (node: NodeRow) =>
  serviceError(
    'conflict',
    node.status === 'ready'
      ? 'The node is ready: branch again for another take.'
      : 'The node is already being generated.',
  )
