export { createReadiness, type Readiness } from './readiness.ts'
export { stopSignal } from './stop-signal.ts'
