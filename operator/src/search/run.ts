import { type Search, type SearchStatus, searches } from '../crds/mod.ts'
import {
  type Desired,
  type DesiredStatus,
  isNewWarning,
  type RunFacts,
  type RunMemory,
  reflects,
  runStatus,
  stabilizeMessage,
} from '../runs/mod.ts'
import { secondsTime } from '../runtime/mod.ts'
import type { SearchDependencies } from './dependencies.ts'
import type { Survey } from './survey.ts'
import { writeStatus } from './writes.ts'

/** The run in one reconcile. */
export type Run = {
  search: Search
  runId: string
  memory: RunMemory
  pods: Survey
  facts: RunFacts
  signal: AbortSignal
}

/** Records a warning event. Success shows only in the status: an event for each would double the requests. */
export const warn = ({ recorder }: SearchDependencies, search: Search, reason: string, note: string): void =>
  recorder.record(searches, search, { type: 'Warning', reason, action: 'Run', note })

/** Acknowledges the run's events if the status reflects them. */
export const acknowledge = (
  { events }: SearchDependencies,
  { runId, facts, pods }: Run,
  status: SearchStatus,
): void => {
  if (reflects(status, facts, pods.current?.pod.metadata.name)) events.reflected(runId, facts.version)
}

/** The status fields of every run besides its state. */
const common = ({ search, runId, memory, pods: { current } }: Run): Desired<SearchStatus> => {
  return {
    sessionId: runId,
    startTime: search.status.startTime ?? secondsTime(memory.acceptedAt),
    ...(current ? { podName: current.pod.metadata.name, warm: current.isClaimed, attempts: current.attempt } : {}),
  }
}

const countStart = ({ runMetrics }: SearchDependencies, { memory, pods: { current }, facts }: Run): void => {
  if (facts.started && current) runMetrics?.started('search', current.isClaimed, facts.started.at - memory.acceptedAt)
}

/** Writes the state of a run if it changed, and acknowledges the events that led to it. */
export const settle = async (
  dependencies: SearchDependencies,
  run: Run,
  desiredStatus: DesiredStatus,
  more: Desired<SearchStatus> = {},
): Promise<void> => {
  const { search, signal } = run
  const stable = stabilizeMessage(search.status, desiredStatus)
  const desired = {
    ...common(run),
    ...runStatus(search, stable, dependencies.clock.now()),
    ...more,
  } as Desired<SearchStatus>
  acknowledge(dependencies, run, await writeStatus(dependencies, search, desired, signal))
  if (stable.phase === 'Running' && search.status.phase !== 'Running') countStart(dependencies, run)
  if (isNewWarning(search.status, stable)) warn(dependencies, search, stable.reason, stable.message)
}
