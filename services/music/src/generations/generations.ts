import { failure, toFailure } from '@trellis/kit/errors'
import type { Report } from '@trellis/kit/workloads'
import { watchRun } from '@trellis/kit/workloads'
import { AudioResult } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import type { ChainTree } from '../chains/access.ts'
import { publishNode } from '../chains/events.ts'
import { removeNodeFiles } from '../chains/remove-files.ts'
import { pathTo } from '../chains/spine.ts'
import { findNode, generatingNodes, restartNode, updateGenerating } from '../chains/store.ts'
import type { NodeRow } from '../chains/tables.ts'
import { startTask, type TaskRun } from '../worker/run-task.ts'
import type { World } from '../world.ts'

/** A generation may take this long, wherever it runs. */
const DEADLINE_SECONDS = 3_600
/** After a restart, a run that nobody knows of any more has this long to be heard of before its node has failed. */
const LOST_RUN_MILLISECONDS = 1_000
/** Progress is told in steps of at least this. */
const PROGRESS_STEP = 0.02

const INTERRUPTED = 'The server was stopped while this was being generated: retry it.'

const ready = (result: AudioResult, time: string): Partial<NodeRow> => ({
  status: 'ready',
  progress: 1,
  frames: result.frames,
  bpm: result.bpm ?? null,
  musical_key: result.key ?? null,
  loudness_lufs: result.loudnessLufs ?? null,
  silent_tail_seconds: result.silentTailSeconds,
  distance_percentile: result.distancePercentile ?? null,
  loudness_step_lu: result.loudnessStepLu ?? null,
  beat_error_ms: result.beatErrorMs ?? null,
  prompt_honored: JSON.stringify(result.promptHonored),
  ready_at: time,
})

const taskOf = ({ chain, nodes }: ChainTree, node: NodeRow): TaskRun['task'] => ({
  $case: 'continue',
  value: {
    nodeId: node.id,
    path: pathTo(nodes, node.parent_id ?? '').map((piece) => ({
      nodeId: piece.id,
      sampleRate: chain.sample_rate,
      channels: chain.channels,
    })),
    frames: node.frames,
    contextFrames: node.context_seconds === null ? 0 : Math.round(node.context_seconds * chain.sample_rate),
    prompt: node.prompt,
    seed: node.seed ?? 0,
    generator: node.generator ?? 'recombine',
    parentBpm: nodes.find((parent) => parent.id === node.parent_id)?.bpm ?? null,
  },
})

/** Generations from their request to the rows they end in. */
export interface Generations {
  /** Starts the run of a node whose row says that it is being generated. Throws where there is no room for it. */
  start(tree: ChainTree, node: NodeRow): Promise<void>
  /** Starts a failed node again; undefined where it has not failed. */
  retry(tree: ChainTree, node: NodeRow): Promise<NodeRow | undefined>
  /** Stops a node's run, if there is one. */
  stop(node: NodeRow): Promise<void>
  /** Takes up what was being generated when the service last ended: follows what still runs, and fails what is lost. */
  recover(): Promise<void>
  /** Resolves once nothing is followed any more. */
  settled(): Promise<void>
}

export const createGenerations = (world: World): Generations => {
  const { db, bus, workloads, log, now, signal } = world
  const followed = new Set<Promise<void>>()

  /** Changes the node of a run and tells of it. A node that has been removed meanwhile takes its files along. */
  const change = async (node: NodeRow, runId: string, changes: Partial<NodeRow>): Promise<void> => {
    const changed = await updateGenerating(db, { id: node.id, runId }, changes)
    if (changed) await publishNode(bus, changed)
    else if (!(await findNode(db, node.id))) await removeNodeFiles(world.files, [node.id])
  }

  const followReports = async (node: NodeRow, runId: string, reports: AsyncIterable<Report>): Promise<boolean> => {
    let told = 0
    for await (const report of reports) {
      if (report.$case === 'progress' && report.value.fraction >= told + PROGRESS_STEP) {
        told = report.value.fraction
        await change(node, runId, { progress: Math.min(0.99, told) })
      }
      if (report.$case === 'completed') {
        await change(node, runId, ready(AudioResult.decode(report.value.result), now().toISOString()))
        return true
      }
      if (report.$case === 'failed') {
        await change(node, runId, { status: 'error', error: report.value.detail })
        return true
      }
    }
    return false
  }

  /** Follows a run in the background; it ends with the run or with the service. */
  const follow = (
    node: NodeRow,
    runId: string,
    reports: AsyncIterable<Report>,
    otherwise?: () => Promise<void>,
  ): void => {
    const following = followReports(node, runId, reports)
      .then(async (ended) => {
        if (!ended && !signal.aborted) await otherwise?.()
      })
      .catch((error: unknown) => log.error({ err: error, nodeId: node.id }, 'the end of a generation was lost'))
      .finally(() => followed.delete(following))
    followed.add(following)
  }

  const launch = async (tree: ChainTree, node: NodeRow, runId: string): Promise<void> => {
    const run = { runId, task: taskOf(tree, node), deadlineSeconds: DEADLINE_SECONDS, user: tree.chain.user_id }
    follow(node, runId, await startTask({ bus, workloads }, run, signal))
  }

  const recoverNode = (node: NodeRow, isKnown: boolean): void => {
    const runId = node.run_id ?? ''
    if (isKnown) {
      follow(node, runId, watchRun(bus, runId, signal))
      return
    }
    // It may have ended while nobody listened: the bus keeps the word of that for a day.
    const patience = AbortSignal.any([signal, AbortSignal.timeout(LOST_RUN_MILLISECONDS)])
    follow(node, runId, watchRun(bus, runId, patience), () =>
      change(node, runId, { status: 'error', error: INTERRUPTED }),
    )
  }

  return {
    start: (tree, node) => launch(tree, node, node.run_id ?? ''),
    async retry(tree, node) {
      const attempt = node.attempt + 1
      const runId = `generate-${node.id}-${attempt}`
      const restarted = await restartNode(db, node.id, runId, attempt)
      if (!restarted) return undefined
      await publishNode(bus, restarted)
      try {
        await launch(tree, restarted, runId)
      } catch (error) {
        await change(restarted, runId, { status: 'error', error: toFailure(error).message })
        throw error
      }
      return restarted
    },
    async stop(node) {
      if (node.run_id) await workloads.cancel({ runId: node.run_id })
    },
    async recover() {
      const nodes = await generatingNodes(db)
      if (nodes.length === 0) return
      const { runs } = await workloads.list({ workload: 'WORKLOAD_GENERATION' })
      for (const node of nodes)
        recoverNode(
          node,
          runs.some(({ runId }) => runId === node.run_id),
        )
    },
    async settled() {
      await Promise.allSettled(followed)
    },
  }
}

/** What a request for a node that cannot be retried is told. */
export const notRetryable = (node: NodeRow) =>
  failure(
    'conflict',
    node.status === 'ready'
      ? 'The node is ready: branch again for another take.'
      : 'The node is being generated already.',
  )
