export { type LinkedAbort, linkedAbort, onAbort } from './linked-abort.ts'
export { stopSignal } from './stop-signal.ts'
