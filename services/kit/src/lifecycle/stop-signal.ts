/**
 * Resolves with the first SIGINT or SIGTERM, and on a terminal with SIGHUP, which signals that it was closed; with
 * `orWithInput` also, as SIGHUP, when standard input ends, by which a process detects that its parent is gone.
 * A second SIGINT or SIGTERM exits at once, for a user who does not wait.
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
    // Without a terminal SIGHUP may be ignored on purpose (nohup), and a listener would undo that.
    if (process.stdout.isTTY) process.on('SIGHUP', resolve)
    if (orWithInput)
      process.stdin
        .on('end', () => resolve('SIGHUP'))
        .on('error', () => resolve('SIGHUP'))
        .resume()
  })
