import type { WarmPool, WarmPoolStatus } from '../crds/mod.ts'
import { mergeConditions, type Progress, progressConditions, stableMessage } from '../runtime/mod.ts'
import { isLiveMember, type Member } from './member.ts'
import { restingReason } from './rest.ts'

export type PoolFacts = {
  members: readonly Member[]
  desired: number
  isResting: boolean
  /** Number of claims so far. */
  claimed: number
  /** The API server's message if it rejected a pod. */
  refusal: string | undefined
  now: number
}

/** Reasons in the conditions of a WarmPool. */
export const poolReasons = [
  'Waiting',
  restingReason,
  'Starting',
  'ScalingDown',
  'Updating',
  'Unschedulable',
  'ImagePull',
  'OOMKilled',
  'WorkerLost',
  'Refused',
] as const
export type PoolReason = (typeof poolReasons)[number]

export type DesiredStatus = { progress: Progress; reason: PoolReason; message: string }

const workers = (count: number): string => (count === 1 ? '1 worker' : `${count} workers`)

const messageIn = ({ state }: Member): string => ('message' in state ? state.message : '')

/** Why workers cannot start, if they cannot; the first obstacle found is reported. */
const obstacle = (members: readonly Member[]): DesiredStatus | undefined => {
  for (const member of members) {
    const { state, kind, attempt } = member
    if (state.kind === 'unable') return { progress: 'stalled', reason: state.reason, message: messageIn(member) }
    // A single failure is not reported.
    if (kind !== 'dead' || attempt === 0) continue
    const reason = state.kind === 'failed' && state.cause === 'OOMKilled' ? state.cause : 'WorkerLost'
    const message = `${workers(attempt + 1)} in a row ended before they were claimed. ${messageIn(member)}`.trim()
    return { progress: 'stalled', reason, message }
  }
  return undefined
}

/** Derives the state of a pool: progress, reason and message. */
export const desiredStatusOf = ({ members, desired, isResting, refusal }: PoolFacts): DesiredStatus => {
  const live = members.filter(isLiveMember)
  const ready = members.filter(({ kind }) => kind === 'ready')
  if (refusal !== undefined) return { progress: 'stalled', reason: 'Refused', message: refusal }
  const blocked = ready.length < desired ? obstacle(members) : undefined
  if (blocked) return blocked
  const held = members.find(({ kind }) => kind === 'held')
  if (held && ready.length < desired) return { progress: 'working', reason: 'Unschedulable', message: messageIn(held) }
  if (ready.length < desired)
    return { progress: 'working', reason: 'Starting', message: `${ready.length} of ${workers(desired)} are ready.` }
  if (live.length > desired)
    return {
      progress: 'working',
      reason: 'ScalingDown',
      message: `${workers(live.length - desired)} too many are being removed.`,
    }
  if (isResting) {
    const message = 'No run has requested a worker for idleSeconds: the pool rests until the next one does.'
    return { progress: 'ready', reason: restingReason, message }
  }
  const outdated = members.filter(({ isOutdated }) => isOutdated).length
  if (outdated > 0)
    return { progress: 'working', reason: 'Updating', message: `${workers(outdated)} are of an older template.` }
  return { progress: 'ready', reason: 'Waiting', message: `${workers(ready.length)} can be claimed.` }
}

/** Builds the status of a pool. `conditions` holds the same objects as before if none of them changed. */
export const poolStatus = ({ status, metadata }: WarmPool, selector: string, facts: PoolFacts): WarmPoolStatus => {
  const observedGeneration = metadata.generation ?? 1
  const { progress, ...desired } = desiredStatusOf(facts)
  const { reason } = desired
  const message = stableMessage(status.conditions, { ...desired, observedGeneration })
  return {
    observedGeneration,
    replicas: facts.members.filter(isLiveMember).length,
    readyReplicas: facts.members.filter(({ kind }) => kind === 'ready').length,
    claimed: facts.claimed,
    selector,
    conditions: [
      ...mergeConditions(
        status.conditions ?? [],
        progressConditions(progress, { reason, message, observedGeneration }),
        facts.now,
      ),
    ],
  }
}
