import type { IncomingMessage } from 'node:http'

/**
 * Calls back once when a request is closed before its body was read to the end, or at once if it already is. A body that has arrived
 * but was not read yet is lost with its client as well. Returns a function that removes the listener.
 */
export const onRequestLost = (request: IncomingMessage, callback: () => void): (() => void) => {
  if (request.destroyed) {
    if (!request.readableEnded) callback()
    return () => undefined
  }
  const onClose = () => {
    if (!request.readableEnded) callback()
  }
  request.once('close', onClose)
  return () => void request.off('close', onClose)
}
