export type { WorkerKind } from './child.ts'
export { announceConclusion } from './conclude.ts'
export { type FollowedRun, type FollowOptions, followRun, type RunFollower } from './follow.ts'
export { handlePatiently } from './handle-patiently.ts'
export { createLocalWorkloads, type LocalWorkloadsOptions, measureWorkloads } from './local.ts'
export {
  assignmentsOf,
  branchNotices,
  generationOrders,
  inputsOf,
  prepareWorkerTopics,
  type RunKind,
  runKindOf,
  runKinds,
  runNotices,
  runTopic,
  searchOrders,
  workerNotices,
} from './topics.ts'
export { type Report, runFailure, watchRun } from './watch.ts'
export { type Assignment, serveWork, type Work } from './worker.ts'
