import { setTimeout as sleep } from 'node:timers/promises'
import { isServiceError } from '@trellis/kit/errors'
import { transact } from '@trellis/kit/store'
import { generationPlanRequests, handleWithRetries } from '@trellis/kit/workloads'
import type { PlanRequest, RunFailed } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { ChainTree } from '../chains/access.ts'
import { publishNode } from '../chains/events.ts'
import { findTree, type Restart, restartNode } from '../chains/store.ts'
import type { Dependencies } from '../dependencies.ts'
import { ownerOf, requireRestart } from '../quotas/quotas.ts'
import type { NodeRow } from '../store/tables.ts'
import { announce, conclusionOf, failureOf } from './conclusion.ts'
import { changeGenerating } from './drive.ts'
import type { Generations } from './generations.ts'
import { type RequestedGeneration, type Verdict, validatePlanRequest } from './validate-plan-request.ts'

/** Plan requests that one replica handles concurrently. */
const takenAtOnce = 8
/** Time limit for one delivery of a plan request to wait for the servers that it depends on, in milliseconds. */
const longestOutage = 15 * 60_000
/** Delay before a plan request for a node of another run is requeued behind the others, in milliseconds. */
const requeueMilliseconds = 5_000

const restartOf = ({ runId }: PlanRequest, node: NodeRow, requested: RequestedGeneration): Restart => ({
  run_id: runId,
  attempt: node.attempt + 1,
  prompt: requested.prompt ?? node.prompt,
  seed: requested.seed ?? node.seed,
  frames: requested.frames ?? node.frames,
  context_seconds: requested.contextSeconds === undefined ? node.context_seconds : requested.contextSeconds,
  generator: requested.generator ?? node.generator,
  input_key: requested.inputKey,
})

/** A limit of the owner of a chain forbids a plan request; the sentence names it. */
type Refused = { readonly failure: RunFailed }

/**
 * Restarts a node for a plan request, within the limits of the owner of its chain, as a request of that user would; otherwise
 * nothing changes. Undefined if the node has not failed.
 */
const restart = async (
  { db, config }: Dependencies,
  planRequest: PlanRequest,
  { tree, node, requested }: Extract<Verdict, { kind: 'generate' }>,
): Promise<NodeRow | Refused | undefined> => {
  try {
    return await transact(db, async (transaction) => {
      const restarted = await restartNode(transaction, node.id, restartOf(planRequest, node, requested))
      if (restarted) await requireRestart(transaction, ownerOf(tree.chain), config)
      return restarted
    })
  } catch (error) {
    if (!isServiceError(error, 'rate_limited') && !isServiceError(error, 'too_large')) throw error
    return { failure: { ...failureOf(error), reason: 'QuotaExceeded' } }
  }
}

/** Requests the run; if it is refused permanently, the node and its plan request fail. */
const start = async (
  dependencies: Dependencies,
  generations: Generations,
  tree: ChainTree,
  node: NodeRow,
): Promise<void> => {
  try {
    await generations.start(tree, node)
  } catch (error) {
    if (!isServiceError(error) || error.kind === 'unavailable') throw error
    const runId = node.run_id ?? ''
    await announce(dependencies, runId, { failure: failureOf(error) })
    await changeGenerating(dependencies, { nodeId: node.id, runId }, { status: 'error', error: error.message })
  }
}

const generate = async (
  dependencies: Dependencies,
  generations: Generations,
  planRequest: PlanRequest,
  verdict: Extract<Verdict, { kind: 'generate' }>,
): Promise<void> => {
  const { tree, node } = verdict
  const restarted = await restart(dependencies, planRequest, verdict)
  // Another request was faster: decide again by the new state of the node.
  if (!restarted) return handlePlanRequest(dependencies, generations, planRequest)
  if ('failure' in restarted) return announce(dependencies, planRequest.runId, restarted)
  await publishNode(dependencies.bus, restarted)
  const nodes = tree.nodes.map((each) => (each.id === node.id ? restarted : each))
  await start(dependencies, generations, { ...tree, nodes }, restarted)
}

/** Requeues a plan request as a new one, so that waiting does not count as a failed delivery. */
const requeue = async ({ bus, signal }: Dependencies, planRequest: PlanRequest): Promise<void> => {
  await sleep(requeueMilliseconds, undefined, { signal })
  await bus.enqueue(generationPlanRequests, planRequest)
}

const handlePlanRequest = async (
  dependencies: Dependencies,
  generations: Generations,
  planRequest: PlanRequest,
): Promise<void> => {
  const tree = await findTree(dependencies.db, planRequest.generation?.chainId ?? '')
  const { config, installedModel } = dependencies
  const installed = { mockGenerator: config.mockGenerator, model: await installedModel.status() }
  const verdict = validatePlanRequest(planRequest, tree, installed)
  switch (verdict.kind) {
    case 'refuse':
      return announce(dependencies, planRequest.runId, { failure: verdict.failure })
    case 'done':
      return announce(dependencies, planRequest.runId, conclusionOf(verdict.node, verdict.tree.chain))
    case 'drive':
      return start(dependencies, generations, verdict.tree, verdict.node)
    case 'wait':
      return requeue(dependencies, planRequest)
    case 'generate':
      return generate(dependencies, generations, planRequest, verdict)
  }
}

/** Serves the operator's plan requests until the service shuts down. They become ordinary generations. */
export const servePlanRequests = async (dependencies: Dependencies, generations: Generations): Promise<void> => {
  if (!dependencies.runsAreObjects) return
  await dependencies.bus.work(
    generationPlanRequests,
    async ({ value: planRequest, delivery }, handling) => {
      try {
        await handleWithRetries(() => handlePlanRequest(dependencies, generations, planRequest), {
          queue: generationPlanRequests,
          handling,
          withinMilliseconds: longestOutage,
          onRetry: (error) =>
            dependencies.log.warn(
              { err: error, runId: planRequest.runId },
              'music: server unavailable, retrying plan request',
            ),
        })
      } catch (error) {
        const isLast = delivery >= generationPlanRequests.maxDeliveries
        if (handling.signal.aborted || !isLast || isServiceError(error, 'unavailable')) throw error
        dependencies.log.error(
          { err: error, runId: planRequest.runId },
          'music: plan request failed, retry limit reached',
        )
        await announce(dependencies, planRequest.runId, { failure: failureOf(error) })
      }
    },
    { concurrency: takenAtOnce, signal: dependencies.signal },
  )
}
