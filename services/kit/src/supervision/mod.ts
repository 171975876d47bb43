/** Restarts of child processes. Imports little, since a supervisor has nothing else to do and should stay small. */
export { isReadyMessage, reportReady } from './ready-message.ts'
export { describeExit, type Exit, type Supervised, type SuperviseOptions, supervise } from './supervise.ts'
