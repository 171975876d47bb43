/**
 * Resolves with the first SIGINT or SIGTERM. A second one ends the process at once, for a person who does not want to wait.
 */
export const stopSignal = (): Promise<NodeJS.Signals> =>
  new Promise((resolve) => {
    let seen = false
    const onSignal = (signal: NodeJS.Signals) => {
      if (seen) process.exit(130)
      seen = true
      resolve(signal)
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
  })
