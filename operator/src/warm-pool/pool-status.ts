import type { WarmPool, WarmPoolStatus } from '../crds/mod.ts'
import { mergeConditions, type Progress, progressConditions } from '../runtime/mod.ts'
import { isLiveMember, type Member } from './member.ts'
import { restingReason } from './rest.ts'

export type PoolFacts = {
  members: readonly Member[]
  desired: number
  isResting: boolean
  /** Claims so far. */
  claimed: number
  /** What the API server said when it would not make a pod. */
  refusal: string | undefined
  now: number
}

/** Why a WarmPool is as it is, in one word. */
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

/** Why workers cannot start, where they cannot; the first that is found speaks for the others. */
const obstacle = (members: readonly Member[]): DesiredStatus | undefined => {
  for (const member of members) {
    const { state, kind, attempt } = member
    if (state.kind === 'unable') return { progress: 'stalled', reason: state.reason, message: messageIn(member) }
    // One that failed once is a mishap.
    if (kind !== 'dead' || attempt === 0) continue
    const reason = state.kind === 'failed' && state.cause === 'OOMKilled' ? state.cause : 'WorkerLost'
    const message = `${workers(attempt + 1)} in a row ended before they were claimed. ${messageIn(member)}`.trim()
    return { progress: 'stalled', reason, message }
  }
  return undefined
}

/** How far a pool is, in a word and a sentence. */
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
      message: `${workers(live.length - desired)} too many are being ended.`,
    }
  if (isResting) {
    const message = 'No run has asked for a worker for idleSeconds: the pool rests until the next one does.'
    return { progress: 'ready', reason: restingReason, message }
  }
  const outdated = members.filter(({ isOutdated }) => isOutdated).length
  if (outdated > 0)
    return { progress: 'working', reason: 'Updating', message: `${workers(outdated)} are of an older template.` }
  return { progress: 'ready', reason: 'Waiting', message: `${workers(ready.length)} can be claimed.` }
}

/** The status of a pool. Its conditions are the very list that it has where nothing about them changes. */
export const poolStatus = ({ status, metadata }: WarmPool, selector: string, facts: PoolFacts): WarmPoolStatus => {
  const observedGeneration = metadata.generation ?? 1
  const { progress, ...why } = desiredStatusOf(facts)
  return {
    observedGeneration,
    replicas: facts.members.filter(isLiveMember).length,
    readyReplicas: facts.members.filter(({ kind }) => kind === 'ready').length,
    claimed: facts.claimed,
    selector,
    conditions: [
      ...mergeConditions(
        status.conditions ?? [],
        progressConditions(progress, { ...why, observedGeneration }),
        facts.now,
      ),
    ],
  }
}
