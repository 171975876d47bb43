import { isServiceError } from '@trellis/kit/errors'
import type { GenerationSubject, PlanRequest, RunFailed } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { ChainTree } from '../chains/access.ts'
import type { NodeRow } from '../store/tables.ts'
import { failed } from './conclusion.ts'
import { contextFor, type GeneratorWord, generatorFor, generatorNamed, type Installed } from './generator-for.ts'
import { faultOfInput } from './input-key.ts'

/** Requested parameters of a node; `undefined` means that of the node itself. */
export type RequestedGeneration = {
  readonly prompt: string | undefined
  readonly seed: number | undefined
  readonly frames: number | undefined
  readonly contextSeconds: number | null | undefined
  readonly generator: GeneratorWord | undefined
  /** Audio to continue instead of the node's path; null for the path. */
  readonly inputKey: string | null
}

/** What to do with a plan request. */
export type Verdict =
  /** It can never be done. */
  | { readonly kind: 'refuse'; readonly failure: RunFailed }
  /** It is already done. */
  | { readonly kind: 'done'; readonly tree: ChainTree; readonly node: NodeRow }
  /** It is in progress, under its own run. */
  | { readonly kind: 'drive'; readonly tree: ChainTree; readonly node: NodeRow }
  /** The node is in progress under another run. */
  | { readonly kind: 'wait' }
  | {
      readonly kind: 'generate'
      readonly tree: ChainTree
      readonly node: NodeRow
      readonly requested: RequestedGeneration
    }

const refuse = (...args: Parameters<typeof failed>): Verdict => ({ kind: 'refuse', failure: failed(...args) })
const notFound = (detail: string): Verdict => refuse('NodeNotFound', 'not_found', detail)
const quoted = (text: string): string => JSON.stringify(text)

const requestedOf = (
  subject: GenerationSubject,
  { sampleRate, node, installed }: { sampleRate: number; node: NodeRow; installed: Installed },
): RequestedGeneration => {
  const generator = subject.generator === '' ? undefined : generatorFor(generatorNamed(subject.generator), installed)
  const usedBy = generator ?? node.generator ?? 'recombine'
  const contextSeconds = subject.contextSeconds === 0 ? null : (subject.contextSeconds ?? undefined)
  const isOther = generator !== undefined && generator !== node.generator
  return {
    prompt: subject.prompt ?? undefined,
    seed: subject.seed ?? undefined,
    frames: subject.durationSeconds > 0 ? Math.round(subject.durationSeconds * sampleRate) : undefined,
    contextSeconds:
      // Another generator has another default.
      contextSeconds === undefined && !isOther
        ? undefined
        : contextFor(usedBy, contextSeconds ?? null, installed.model),
    generator,
    inputKey: subject.inputKey || null,
  }
}

/** Whether a node was generated with the requested parameters. */
const isMadeOf = (node: NodeRow, requested: RequestedGeneration): boolean =>
  (requested.prompt ?? node.prompt) === node.prompt &&
  (requested.seed ?? node.seed) === node.seed &&
  (requested.frames ?? node.frames) === node.frames &&
  (requested.contextSeconds === undefined || requested.contextSeconds === node.context_seconds) &&
  (requested.generator ?? node.generator) === node.generator &&
  requested.inputKey === node.input_key

const judgeNode = (
  planRequest: PlanRequest,
  tree: ChainTree,
  node: NodeRow,
  requested: RequestedGeneration,
): Verdict => {
  if (node.status === 'generating')
    return node.run_id === planRequest.runId ? { kind: 'drive', tree, node } : { kind: 'wait' }
  if (node.status === 'ready') {
    if (isMadeOf(node, requested)) return { kind: 'done', tree, node }
    return refuse(
      'Failed',
      'conflict',
      'The node is ready, and was made with other parameters: branch for another take.',
    )
  }
  if (node.run_id === planRequest.runId) return refuse('Failed', 'internal', node.error ?? 'The generation failed.')
  const fault = faultOfInput(requested.inputKey, tree.nodes)
  if (fault !== undefined) return refuse('Failed', 'invalid', fault)
  const parent = tree.nodes.find(({ id }) => id === node.parent_id)
  if (parent?.status !== 'ready') return refuse('Failed', 'conflict', 'The parent of the node is not ready.')
  return { kind: 'generate', tree, node, requested }
}

/**
 * Decides what to do with a generation that an object requests. `tree` is the chain that it names, if that exists. A plan
 * request without a user may name any chain; with a user, other users' chains are reported as missing.
 */
export const validatePlanRequest = (
  planRequest: PlanRequest,
  tree: ChainTree | undefined,
  installed: Installed,
): Verdict => {
  const { generation: subject, user } = planRequest
  if (!subject) return refuse('Failed', 'invalid', 'The plan request has no generation.')
  if (!tree || (user !== '' && tree.chain.user_id !== user))
    return notFound(`There is no chain ${quoted(subject.chainId)}.`)
  const node = tree.nodes.find(({ id }) => id === subject.nodeId)
  if (!node) return notFound(`There is no node ${quoted(subject.nodeId)} in the chain ${quoted(subject.chainId)}.`)
  if (node.kind === 'upload')
    return notFound(
      `The node ${quoted(node.id)} is the upload that its chain begins with: only continuations are generated.`,
    )
  try {
    return judgeNode(
      planRequest,
      tree,
      node,
      requestedOf(subject, { sampleRate: tree.chain.sample_rate, node, installed }),
    )
  } catch (error) {
    if (isServiceError(error)) return refuse('Failed', error.kind, error.message)
    throw error
  }
}
