import type { RunConcluded } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { Search } from '../crds/mod.ts'
import {
  awaitReport,
  concluding,
  decideFromEvents,
  decideFromPod,
  type Ending,
  fail,
  hasStarted,
  hasWorked,
  noReport,
  type PodState,
  pending,
  type RunFacts,
  starting,
  type Waiting,
  wait,
  wasRequested,
} from '../runs/mod.ts'
import { maxAttempts } from './pod.ts'
import { attemptIn, type Loss } from './survey.ts'

/** The pod that does the run, or last did. */
export type Worker = {
  name: string
  state: PodState
  isClaimed: boolean
  /** When it was first seen to have ended, in milliseconds since 1970. */
  endedAt?: number
}

/** The user of an installation without accounts, and of a Search that names none. */
const ownUser = 'local'

/** The users that Searches applied by people may name; `*` allows all of them. */
export type AllowedUsers = readonly string[]

/** Whether a Search that no service requested may act for the user that it names. */
const mayActFor = ({ spec: { user = '' } }: Search, allowed: AllowedUsers): boolean =>
  user === '' || user === ownUser || allowed.includes('*') || allowed.includes(user)

/** Input of the decision about an unfinished run. Times are milliseconds since 1970. */
export type SearchView = {
  search: Search
  facts: RunFacts
  /** Users that it may act for if no service requested it. */
  allowedUsers?: AllowedUsers
  /** Absent if there is none or the last one was lost. */
  worker?: Worker
  /** The last lost worker. */
  lost?: Loss
  acceptedAt: number
  /** When its status shows that it is starting, in milliseconds since 1970. */
  quietUntil: number
  now: number
}

export type Decision =
  /** `isLoss`: the run ends because its worker is missing. */
  | (Ending & { isLoss?: true })
  /** The run needs a worker for attempt `attempt`, counted from 1. */
  | { kind: 'obtain'; attempt: number; because?: string }
  | Waiting

const outcome = ({ listingsFound: found }: RunConcluded): string =>
  typeof found === 'number' ? `It found ${found} ${found === 1 ? 'listing' : 'listings'}.` : 'It is done.'

/** The state of the worker. Its own events arrive earlier than what its node reports. */
const stateOf = ({ state }: Worker, isStarted: boolean): PodState =>
  isStarted && ['unscheduled', 'starting', 'unable'].includes(state.kind) ? { kind: 'running' } : state

const withoutWorker = ({ search, lost }: SearchView): Decision => {
  // An attempt whose own pod was replaced by a waiting worker continues with that.
  const attempt = attemptIn(search)
  if (!lost || lost.attempt < attempt) return { kind: 'obtain', attempt }
  if (lost.attempt < maxAttempts) return { kind: 'obtain', attempt: lost.attempt + 1, because: lost.message }
  return { ...fail(lost.reason, `Its worker was lost ${lost.attempt} times. ${lost.message}`), isLoss: true }
}

const withWorker = (view: SearchView, worker: Worker, left: number): Decision => {
  const { search, facts, quietUntil, now } = view
  const { isClaimed, endedAt = now } = worker
  const time = { now, left }
  const isStarted = hasStarted(facts, search.status, worker.name)
  const state = stateOf(worker, isStarted)
  switch (state.kind) {
    case 'running':
      if (isStarted) return wait(left, { phase: 'Running', reason: 'Running', message: 'A worker searches.' })
      return starting(
        quietUntil,
        time,
        isClaimed
          ? pending('Claimed', 'A waiting worker has taken it.')
          : pending('Starting', 'The worker waits for its assignment.'),
      )
    case 'unscheduled':
      return wait(left, pending('Unschedulable', state.message))
    case 'failed':
      if (state.cause === 'OOMKilled') return fail('OOMKilled', state.message)
      return awaitReport(endedAt, time, noReport(state.message.replace(/\.$/, '')))
    default:
      return decideFromPod(state, isStarted, { quietUntil, endedAt, ...time })
  }
}

/** Decides what to do about a Search that is neither suspended nor finished. */
export const decide = (view: SearchView): Decision => {
  const { search, facts, worker, acceptedAt, now, allowedUsers = [] } = view
  const { activeDeadlineSeconds } = search.spec
  if (!wasRequested(search) && !mayActFor(search, allowedUsers))
    return fail(
      'UserNotAllowed',
      `This Search may not act for the user "${search.spec.user}": remove spec.user, or add the user to operator.searchUsers.`,
    )
  const left = decideFromEvents({ facts, status: search.status, activeDeadlineSeconds, acceptedAt, now }, outcome)
  if (typeof left === 'object') return left
  if (hasWorked(facts, search.status))
    return concluding(
      facts.worked?.at ?? 0,
      { now, left },
      'The worker is done; the listings service writes what it found.',
    )
  return worker ? withWorker(view, worker, left) : withoutWorker(view)
}
