export { stopSignal } from './stop-signal.ts'
