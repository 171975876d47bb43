import { backoff } from '@trellis/kit/retry'
import { isLiveMember, type Member } from './member.ts'

export type DesiredPool = {
  /** Desired number of idle pods: the spec's replicas, or none while the pool rests. */
  desired: number
  /** Milliseconds until demand is quiet; 0 if it is. */
  quietIn: number
  /** Milliseconds since 1970. */
  now: number
}

export type Plan = {
  /** Pods to create, each as its number of consecutive failures before. */
  create: number[]
  remove: Member[]
  /** Milliseconds after which to reconcile again even without a change. */
  lookAgainIn: number | undefined
}

/** Maximum number of pods starting concurrently: in quiet times, and while runs claim and start. */
const startingLimits = { quiet: 10, busy: 2 }

/** While runs claim, a pool with at least this share of ready pods is not refilled. */
const healthyShare = 0.5

/** Backoff before a failed worker is replaced, by the number of consecutive failures. */
/** Without jitter: a plan depends on nothing but its input. */
const failureBackoff = { initial: 1_000, max: 300_000, jitter: 0 }

const dueAt = ({ endedAt, attempt }: Member): number => endedAt + backoff(attempt + 1, failureBackoff)

/** Removal order of surplus pods: outdated templates, then pods that are not ready, then the youngest. */
const byDispensability = (a: Member, b: Member): number =>
  Number(b.isOutdated) - Number(a.isOutdated) ||
  Number(a.kind === 'ready') - Number(b.kind === 'ready') ||
  b.createdAt - a.createdAt ||
  (a.pod.metadata.name < b.pod.metadata.name ? -1 : 1)

/** Number of pods that may start now in addition to those already starting. */
const roomForStarting = (members: readonly Member[], { desired, quietIn }: DesiredPool): number => {
  const count = (kind: Member['kind']) => members.filter((member) => member.kind === kind).length
  if (quietIn <= 0) return startingLimits.quiet - count('starting')
  return count('ready') >= desired * healthyShare ? 0 : startingLimits.busy - count('starting')
}

/**
 * Outdated pods to replace now: all that are not ready at once; ready ones one at a time, while the others are ready.
 */
const outdated = (members: readonly Member[], { desired, quietIn }: DesiredPool): Member[] => {
  const old = members.filter(({ isOutdated, isReserved }) => isOutdated && !isReserved)
  const useless = old.filter(({ kind }) => kind === 'starting' || kind === 'held')
  if (useless.length > 0) return useless
  const ready = members.filter(({ kind }) => kind === 'ready')
  const isWhole = ready.length >= desired && members.every(({ kind }) => kind === 'ready' || kind === 'dead')
  const oldest = old.filter(({ kind }) => kind === 'ready').sort((a, b) => a.createdAt - b.createdAt)[0]
  return oldest && isWhole && quietIn <= 0 ? [oldest] : []
}

/**
 * Plans the next step of a pool. Live pods, including those being deleted, never exceed the desired number. Dead pods
 * hold their slots, and their logs, until they may be replaced; then they are removed.
 */
export const planPool = (members: readonly Member[], pool: DesiredPool): Plan => {
  const { desired, quietIn, now } = pool
  const live = members.filter(isLiveMember)
  const staying = live.filter(({ kind }) => kind !== 'ending')
  const dead = members.filter(({ kind }) => kind === 'dead').sort((a, b) => dueAt(a) - dueAt(b))

  const surplus = staying.length - desired
  const dispensable = staying.filter(({ isReserved }) => !isReserved).sort(byDispensability)
  const removed = surplus > 0 ? dispensable.slice(0, surplus) : outdated(members, pool)

  const places = Math.max(0, desired - live.length)
  const due = dead.filter((member) => dueAt(member) <= now)
  const waiting = dead.filter((member) => dueAt(member) > now).slice(0, places)
  const startable = Math.max(0, Math.min(places - waiting.length, roomForStarting(members, pool)))
  const create = Array.from({ length: startable }, (_, at) => {
    const replaced = due[at]
    return replaced ? replaced.attempt + 1 : 0
  })
  // A dead pod that is due holds its slot until a replacement may start.
  const remaining = new Set([...waiting, ...due.slice(startable, Math.max(startable, places - waiting.length))])
  const buried = dead.filter((member) => !remaining.has(member))

  const times = [
    ...waiting.map((member) => dueAt(member) - now),
    ...(quietIn > 0 && (places > waiting.length + startable || members.some(({ isOutdated }) => isOutdated))
      ? [quietIn]
      : []),
  ]
  return {
    create,
    remove: [...removed, ...buried],
    lookAgainIn: times.length === 0 ? undefined : Math.min(...times),
  }
}
