import type { Clock } from '../../src/runtime/mod.ts'
import { sleepOn } from './virtual-clock.ts'

/** A process of the simulated world: it can be killed between any two steps, or stopped and woken. */
export type SimulatedProcess = {
  readonly name: string
  readonly clock: Clock
  /** Does something in the process, now or when it wakes; never once it is dead. */
  deliver: (something: () => void) => void
  /** Ends it as SIGKILL does: it does nothing more, whatever it waits for. What it has sent stays sent. */
  kill: () => void
  /** Stops it as SIGSTOP does: time goes on, and it notices nothing. */
  pause: () => void
  resume: () => void
  isDead: () => boolean
}

export const createSimulatedProcess = (name: string, world: Clock): SimulatedProcess => {
  let state: 'running' | 'paused' | 'dead' = 'running'
  let held: (() => void)[] = []
  const deliver = (something: () => void) => {
    if (state === 'paused') held.push(something)
    else if (state === 'running') something()
  }
  const after: Clock['after'] = (milliseconds, callback) => {
    let isCancelled = false
    const cancel = world.after(milliseconds, () =>
      deliver(() => {
        if (!isCancelled) callback()
      }),
    )
    return () => {
      isCancelled = true
      cancel()
    }
  }
  return {
    name,
    clock: { now: world.now, monotonic: world.monotonic, after, sleep: sleepOn(after) },
    deliver,
    kill: () => {
      state = 'dead'
      held = []
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
  }
}
