/** Shared by the kinds that run once: run ids, run events, reporting, and the states of pods and statuses. */
export { attendRuns } from './attend.ts'
export { assignRun, orderRun } from './begin-run.ts'
export type { Claim, Claims } from './claims.ts'
export { decideFromEvents } from './decide-from-events.ts'
export { decideFromPod } from './decide-from-pod.ts'
export { isNewWarning, remainingGraceMilliseconds, stabilizeMessage, staleStatus } from './desired-status.ts'
export { type Ending, fail, noReport, pending } from './ending.ts'
export { logEnd } from './log-end.ts'
export { createRunMemories, firstSeenEnded, type RunMemories, type RunMemory } from './memory.ts'
export { hasStarted, hasWorked, reflects } from './observed.ts'
export { unlessOvertaken } from './overtaken.ts'
export type { RunParts } from './parts.ts'
export { isPaused, pausedAnnotation } from './paused.ts'
export {
  isLive,
  isLoss,
  type PodFailure,
  type PodState,
  podStateOf,
  reportedExitCode,
  type SeenPod,
} from './pod-state.ts'
export { releaseWorker } from './release-worker.ts'
export { reportFailure } from './report-failure.ts'
export { createReporters, failureOf, type Reporter, type Reporters } from './reporter.ts'
export { createRunEvents, type RunEventReader, type RunEvents } from './run-events.ts'
export { learn, noReports, type RunEventOf, type RunFacts } from './run-facts.ts'
export {
  isFromObject,
  type RunObject,
  runIdIndex,
  runIdOf,
  runIdPattern,
  runIdsOf,
  runIndexes,
  unfinishedIndex,
  wasRequested,
} from './run-id.ts'
export { createRunMetrics, type RunMetrics } from './run-metrics.ts'
export {
  type Desired,
  type DesiredStatus,
  expiresIn,
  failureCondition,
  isFinished,
  millisecondsUntil,
  type RunPhase,
  type RunStatus,
  runStatus,
  statusChanges,
} from './run-status.ts'
export {
  awaitReport,
  debounced,
  lookedAgain,
  refusedAgain,
  reportPatience,
  startingQuietly,
  type Waiting,
  wait,
} from './waiting.ts'
export { writeRunStatus } from './write-status.ts'
