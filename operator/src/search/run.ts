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

/** A run that is worked on: what one reconcile knows of it. */
export type Run = {
  search: Search
  runId: string
  memory: RunMemory
  pods: Survey
  facts: RunFacts
  signal: AbortSignal
}

/** Tells people of something that went wrong. What goes well they read in the status: an event each would double the requests. */
export const warn = ({ recorder }: SearchDependencies, search: Search, reason: string, note: string): void =>
  recorder.record(searches, search, { type: 'Warning', reason, action: 'Run', note })

/** Has what was heard acknowledged, as far as the status says it. */
export const acknowledge = (
  { events }: SearchDependencies,
  { runId, facts, pods }: Run,
  status: SearchStatus,
): void => {
  if (reflects(status, facts, pods.current?.pod.metadata.name)) events.reflected(runId, facts.version)
}

/** What every status of a run says beside how it stands. */
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

/** Writes how a run stands, where that is news, and acknowledges what it was learned from. */
export const settle = async (
  dependencies: SearchDependencies,
  run: Run,
  desiredStatus: DesiredStatus,
  more: Desired<SearchStatus> = {},
): Promise<void> => {
  const { search, signal } = run
  const said = stabilizeMessage(search.status, desiredStatus)
  const desired = {
    ...common(run),
    ...runStatus(search, said, dependencies.clock.now()),
    ...more,
  } as Desired<SearchStatus>
  acknowledge(dependencies, run, await writeStatus(dependencies, search, desired, signal))
  if (said.phase === 'Running' && search.status.phase !== 'Running') countStart(dependencies, run)
  if (isNewWarning(search.status, said)) warn(dependencies, search, said.reason, said.message)
}
