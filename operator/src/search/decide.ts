import type { RunConcluded } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { Search } from '../crds/mod.ts'
import {
  awaitReport,
  debounced,
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
  type Waiting,
  wait,
  wasRequested,
} from '../runs/mod.ts'
import { maxAttempts } from './pod.ts'
import { attemptIn, type Loss } from './survey.ts'

/** The pod that does the run, or did it last. */
export type Worker = {
  name: string
  state: PodState
  isClaimed: boolean
  /** When it was first seen to have ended, in milliseconds since 1970. */
  endedAt?: number
}

/** The account of an installation without accounts, and of a Search that names none. */
const ownUser = 'local'

/** The users that Searches which people apply may name, beside none; `*` is all of them. */
export type AllowedUsers = readonly string[]

/** Whether a Search that nobody but its author vouches for may act for the account that it names. */
const mayActFor = ({ spec: { user = '' } }: Search, allowed: AllowedUsers): boolean =>
  user === '' || user === ownUser || allowed.includes('*') || allowed.includes(user)

/** All that is reckoned with of a run that has not ended. Times are milliseconds since 1970. */
export type SearchView = {
  search: Search
  facts: RunFacts
  /** Accounts that it may act for, where no service asked for it. */
  allowedUsers?: AllowedUsers
  /** Absent: there is none, or what there was is lost. */
  worker?: Worker
  /** The last of its workers that was lost. */
  lost?: Loss
  acceptedAt: number
  now: number
}

export type Decision =
  /** `isLoss`: because its worker is not to be seen. */
  | (Ending & { isLoss?: true })
  /** It needs a worker, its `attempt`-th, counted from 1. */
  | { kind: 'obtain'; attempt: number; because?: string }
  | Waiting

const outcome = ({ listingsFound: found }: RunConcluded): string =>
  typeof found === 'number' ? `It found ${found} ${found === 1 ? 'listing' : 'listings'}.` : 'It is done.'

/** How the worker is. What it says comes sooner than what its node writes of it. */
const stateOf = ({ state }: Worker, isStarted: boolean): PodState =>
  isStarted && ['unscheduled', 'starting', 'unable'].includes(state.kind) ? { kind: 'running' } : state

const withoutWorker = ({ search, lost }: SearchView): Decision => {
  // An attempt whose own pod gave way to a waiting worker goes on with that.
  const attempt = attemptIn(search)
  if (!lost || lost.attempt < attempt) return { kind: 'obtain', attempt }
  if (lost.attempt < maxAttempts) return { kind: 'obtain', attempt: lost.attempt + 1, because: lost.message }
  return { ...fail(lost.reason, `Its worker was lost ${lost.attempt} times. ${lost.message}`), isLoss: true }
}

const withWorker = (view: SearchView, worker: Worker, left: number): Decision => {
  const { search, facts, acceptedAt, now } = view
  const { isClaimed, endedAt = now } = worker
  const time = { now, left }
  const isStarted = hasStarted(facts, search.status, worker.name)
  const state = stateOf(worker, isStarted)
  switch (state.kind) {
    case 'running':
      if (isStarted) return wait(left, { phase: 'Running', reason: 'Running', message: 'A worker searches.' })
      return debounced(
        acceptedAt,
        time,
        isClaimed
          ? pending('Claimed', 'A waiting worker has taken it.')
          : pending('Starting', 'The worker waits for what it is to do.'),
      )
    case 'unscheduled':
      return wait(left, pending('Unschedulable', state.message))
    case 'failed':
      if (state.cause === 'OOMKilled') return fail('OOMKilled', state.message)
      return awaitReport(endedAt, time, noReport(state.message.replace(/\.$/, '')))
    default:
      return decideFromPod(state, isStarted, { acceptedAt, endedAt, ...time })
  }
}

/** What is to be done about a Search that is not suspended and has not ended. */
export const decide = (view: SearchView): Decision => {
  const { search, facts, worker, acceptedAt, now, allowedUsers = [] } = view
  const { activeDeadlineSeconds } = search.spec
  if (!wasRequested(search) && !mayActFor(search, allowedUsers))
    return fail(
      'UserNotAllowed',
      `Searches that are applied may not act for the user "${search.spec.user}": leave spec.user out, or have operator.searchUsers name it.`,
    )
  const left = decideFromEvents({ facts, status: search.status, activeDeadlineSeconds, acceptedAt, now }, outcome)
  if (typeof left === 'object') return left
  if (hasWorked(facts, search.status)) {
    const message = 'The worker is done; the listings service writes what it found.'
    return debounced(facts.worked?.at ?? 0, { now, left }, { phase: 'Running', reason: 'Finished', message })
  }
  return worker ? withWorker(view, worker, left) : withoutWorker(view)
}
