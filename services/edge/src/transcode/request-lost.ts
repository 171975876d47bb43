import type { IncomingMessage } from 'node:http'

/**
 * Calls back once when a request is closed before its body was read to the end; at once, where that has happened. Gives what calls that off.
 * A body that had arrived, and was not read yet, is lost with its client, too.
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
