export { type LinkedAbort, linkedAbort, onAbort } from './linked-abort.ts'
export { stopSignal } from './stop-signal.ts'
export { createTurns, type Turns } from './turns.ts'
export { untilAborted } from './until-aborted.ts'
