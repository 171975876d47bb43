export type { WorkerKind } from './child.ts'
export { handleWithRetries } from './handle-with-retries.ts'
export { createLocalWorkloads, type LocalWorkloadsOptions, measureWorkloads } from './local.ts'
export { createPool, type Outcome, type Pool } from './pool.ts'
export { publishConclusion } from './publish-conclusion.ts'
export { type RunClients, type RunToStream, type StreamRunOptions, streamRun } from './stream-run.ts'
export {
  assignmentsOf,
  branchEvents,
  generationPlanRequests,
  inputsOf,
  prepareWorkerTopics,
  type RunKind,
  runEvents,
  runKindOf,
  runKinds,
  runTopic,
  searchPlanRequests,
  workerEvents,
} from './topics.ts'
export { errorOfRun, type Report, watchRun } from './watch.ts'
export { type Assignment, serveWork, type Work } from './worker.ts'
