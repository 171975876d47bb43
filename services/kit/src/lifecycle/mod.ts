export { addAbortListener, type ChildAbortController, childAbortController } from './child-abort-controller.ts'
export { createSerialQueue, type SerialQueue } from './serial-queue.ts'
export { stopSignal } from './stop-signal.ts'
export { untilAborted } from './until-aborted.ts'
