import { setTimeout as sleep } from 'node:timers/promises'
import { isFailure } from '@trellis/kit/errors'
import { generationOrders, handlePatiently } from '@trellis/kit/workloads'
import type { RunOrder } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { ChainTree } from '../chains/access.ts'
import { publishNode } from '../chains/events.ts'
import { findTree, type Restart, restartNode } from '../chains/store.ts'
import type { NodeRow } from '../chains/tables.ts'
import type { World } from '../world.ts'
import { announce, conclusionOf, failureOf } from './conclusion.ts'
import { changeGenerating } from './drive.ts'
import type { Generations } from './generations.ts'
import { judgeOrder, type Verdict, type Wanted } from './judge-order.ts'

/** Orders that one replica takes at once. */
const TAKEN_AT_ONCE = 8
/** How long one delivery of an order waits for the servers that it depends on, in milliseconds. */
const LONGEST_OUTAGE = 15 * 60_000
/** An order for a node that another run has waits this long, before it goes behind the others, in milliseconds. */
const TURN_MILLISECONDS = 5_000

const restartOf = ({ runId }: RunOrder, node: NodeRow, wanted: Wanted): Restart => ({
  run_id: runId,
  attempt: node.attempt + 1,
  prompt: wanted.prompt ?? node.prompt,
  seed: wanted.seed ?? node.seed,
  frames: wanted.frames ?? node.frames,
  context_seconds: wanted.contextSeconds === undefined ? node.context_seconds : wanted.contextSeconds,
  generator: wanted.generator ?? node.generator,
  input_key: wanted.inputKey,
})

/** Asks for the run; one that is refused for good ends the node and its order. */
const start = async (world: World, generations: Generations, tree: ChainTree, node: NodeRow): Promise<void> => {
  try {
    await generations.start(tree, node)
  } catch (error) {
    if (!isFailure(error) || error.kind === 'unavailable') throw error
    const runId = node.run_id ?? ''
    await announce(world, runId, { failure: failureOf(error) })
    await changeGenerating(world, { nodeId: node.id, runId }, { status: 'error', error: error.message })
  }
}

const generate = async (
  world: World,
  generations: Generations,
  order: RunOrder,
  { tree, node, wanted }: Extract<Verdict, { kind: 'generate' }>,
): Promise<void> => {
  const restarted = await restartNode(world.db, node.id, restartOf(order, node, wanted))
  // Somebody was faster: what has become of the node is looked at again.
  if (!restarted) return takeOrder(world, generations, order)
  await publishNode(world.bus, restarted)
  const nodes = tree.nodes.map((each) => (each.id === node.id ? restarted : each))
  await start(world, generations, { ...tree, nodes }, restarted)
}

/** Puts an order behind the others, as a new one: that it waits is no failing of it. */
const putBack = async ({ bus, signal }: World, order: RunOrder): Promise<void> => {
  await sleep(TURN_MILLISECONDS, undefined, { signal })
  await bus.enqueue(generationOrders, order)
}

const takeOrder = async (world: World, generations: Generations, order: RunOrder): Promise<void> => {
  const tree = await findTree(world.db, order.generation?.chainId ?? '')
  const verdict = judgeOrder(order, tree, world.config)
  switch (verdict.kind) {
    case 'refuse':
      return announce(world, order.runId, { failure: verdict.failure })
    case 'done':
      return announce(world, order.runId, conclusionOf(verdict.node, verdict.tree.chain))
    case 'drive':
      return start(world, generations, verdict.tree, verdict.node)
    case 'wait':
      return putBack(world, order)
    case 'generate':
      return generate(world, generations, order, verdict)
  }
}

/** Takes the generations that objects ask for, until the service ends. From there on they are generations as any. */
export const takeObjectOrders = async (world: World, generations: Generations): Promise<void> => {
  if (!world.runsAreObjects) return
  await world.bus.work(
    generationOrders,
    async ({ value: order, delivery }, handling) => {
      try {
        await handlePatiently(() => takeOrder(world, generations, order), {
          queue: generationOrders,
          handling,
          withinMilliseconds: LONGEST_OUTAGE,
          onRetry: (error) => world.log.warn({ err: error, runId: order.runId }, 'a server is away: an order waits'),
        })
      } catch (error) {
        const isLast = delivery >= generationOrders.maximumDeliveries
        if (handling.signal.aborted || !isLast || isFailure(error, 'unavailable')) throw error
        world.log.error({ err: error, runId: order.runId }, 'an ordered generation was given up')
        await announce(world, order.runId, { failure: failureOf(error) })
      }
    },
    { concurrency: TAKEN_AT_ONCE, signal: world.signal },
  )
}
