const kind = 'process-ready'

/** Tells the parent process that this one can be used, where there is a channel to it. */
export const reportReady = (): void => {
  if (process.connected) process.send?.({ kind })
}

export const isReadyMessage = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'kind' in message && message.kind === kind
