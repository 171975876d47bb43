/** Shared by the kinds that run once: run ids, run events, reporting, and the states of pods and statuses. */
export type { Claim, Claims } from './claims.ts'
export { decideFromEvents } from './decide-from-events.ts'
export { decideFromPod } from './decide-from-pod.ts'
export { isNewWarning, stabilizeMessage, staleStatus } from './desired-status.ts'
export { type Ending, fail, noReport, pending } from './ending.ts'
export { firstSeenEnded, type RunMemories, type RunMemory } from './memory.ts'
export { hasStarted, hasWorked } from './observed.ts'
export type { RunParts, RunSurroundings } from './parts.ts'
export { isPaused, pausedAnnotation } from './paused.ts'
export {
  isLive,
  isLoss,
  type PodFailure,
  type PodState,
  podStateOf,
  reportedExitCode,
  runPodView,
  type SeenPod,
} from './pod-state.ts'
export { reportFailure } from './report-failure.ts'
export { createReporters, failureOf, type Reporter, type Reporters } from './reporter.ts'
export type { Run } from './run.ts'
export { createRunEvents, type RunEventReader, type RunEvents } from './run-events.ts'
export { learn, noReports, type RunEventOf, type RunFacts } from './run-facts.ts'
export {
  isFromObject,
  type RunIdSource,
  runIdIndex,
  runIdOf,
  runIdPattern,
  runIdsOf,
  runIndexes,
  unfinishedIndex,
  wasRequested,
} from './run-id.ts'
export { type AddedRunKind, defineRunKind, type KindWorkers } from './run-kind.ts'
export { createRunMetrics, type RunMetrics } from './run-metrics.ts'
export type { RunObject, WorkloadRuns } from './run-object.ts'
export {
  type Desired,
  type DesiredStatus,
  failureCondition,
  isFinished,
  millisecondsUntil,
  type RunPhase,
  type RunStatus,
  runStatus,
  statusChanges,
} from './run-status.ts'
export type { RunSteps } from './steps.ts'
export {
  awaitReport,
  concluding,
  concludingQuietly,
  lookedAgain,
  reportPatience,
  starting,
  startingQuietly,
  type Waiting,
  wait,
} from './waiting.ts'
