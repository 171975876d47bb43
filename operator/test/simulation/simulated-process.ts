import type { Clock } from '../../src/runtime/mod.ts'

/** A simulated process: it can be killed between any two steps, paused and resumed. */
export type SimulatedProcess = {
  readonly name: string
  readonly clock: Clock
  /** Runs a callback in the process: now, or after it resumes; never after its death. */
  deliver: (something: () => void) => void
  /** Kills it like SIGKILL: no pending callback runs. Requests already sent stay sent. */
  kill: () => void
  /** Stops it like SIGSTOP: time passes, but no callback runs. */
  pause: () => void
  resume: () => void
  isDead: () => boolean
  /**
   * Calls a listener when a signal is aborted, unless the returned function is called or the process dies before. A signal retains
   * its listeners, and through them a finished simulation, so the listener must be removed.
   */
  heed: (signal: AbortSignal | undefined, addAbortListener: () => void) => () => void
}

export const createSimulatedProcess = (name: string, simulation: Clock): SimulatedProcess => {
  let state: 'running' | 'paused' | 'dead' = 'running'
  let held: (() => void)[] = []
  const heeding = new Set<() => void>()
  const heed: SimulatedProcess['heed'] = (signal, addAbortListener) => {
    const leave = () => {
      heeding.delete(leave)
      signal?.removeEventListener('abort', addAbortListener)
    }
    if (signal && state !== 'dead') {
      heeding.add(leave)
      signal.addEventListener('abort', addAbortListener, { once: true })
    }
    return leave
  }
  const deliver = (something: () => void) => {
    if (state === 'paused') held.push(something)
    else if (state === 'running') something()
  }
  const after: Clock['after'] = (milliseconds, callback) => {
    let isCancelled = false
    const cancel = simulation.after(milliseconds, () =>
      deliver(() => {
        if (!isCancelled) callback()
      }),
    )
    return () => {
      isCancelled = true
      cancel()
    }
  }
  const sleep: Clock['sleep'] = (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const cancel = after(milliseconds, () => {
        leave()
        resolve()
      })
      const leave = heed(signal, () => {
        cancel()
        leave()
        reject(signal?.reason)
      })
    })
  return {
    name,
    clock: { now: simulation.now, monotonic: simulation.monotonic, after, sleep },
    deliver,
    kill: () => {
      state = 'dead'
      held = []
      for (const leave of heeding) leave()
    },
    pause: () => {
      if (state === 'running') state = 'paused'
    },
    resume: () => {
      if (state !== 'paused') return
      state = 'running'
      const waiting = held
      held = []
      for (const something of waiting) deliver(something)
    },
    isDead: () => state === 'dead',
    heed,
  }
}
