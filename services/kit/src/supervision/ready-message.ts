const kind = 'process-ready'

/** Notifies the parent process, if there is a channel to it, that this process is ready. */
export const reportReady = (): void => {
  if (process.connected) process.send?.({ kind })
}

export const isReadyMessage = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'kind' in message && message.kind === kind
