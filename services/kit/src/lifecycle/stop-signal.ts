/**
 * Resolves with the first SIGINT or SIGTERM, and at a terminal with SIGHUP, which says that it was closed; with
 * `orWithInput` also, as SIGHUP, when standard input ends, which is how a process learns that whoever started it is gone.
 * A second SIGINT or SIGTERM ends the process at once, for a person who does not want to wait.
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
    // Elsewhere it may be ignored on purpose (nohup), and a listener would undo that.
    if (process.stdout.isTTY) process.on('SIGHUP', resolve)
    if (orWithInput)
      process.stdin
        .on('end', () => resolve('SIGHUP'))
        .on('error', () => resolve('SIGHUP'))
        .resume()
  })
