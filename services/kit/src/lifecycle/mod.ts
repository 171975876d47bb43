export { DataDirectoryInUse, type DataDirectoryLock, lockDataDirectory } from './data-directory.ts'
export { createReadiness, type Readiness } from './readiness.ts'
export { stopSignal } from './stop-signal.ts'
