/**
 * Resolves with the first SIGINT or SIGTERM; with `orWithInput` also, as SIGHUP, when standard input ends, which is how a
 * process learns that whoever started it is gone. A second signal ends the process at once, for a person who does not want to wait.
 */
export const stopSignal = ({ orWithInput = false } = {}): Promise<NodeJS.Signals> =>
  new Promise((resolve) => {
    let seen = false
    const onSignal = (signal: NodeJS.Signals) => {
      if (seen) process.exit(130)
      seen = true
      resolve(signal)
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
    if (orWithInput)
      process.stdin
        .on('end', () => resolve('SIGHUP'))
        .on('error', () => resolve('SIGHUP'))
        .resume()
  })
