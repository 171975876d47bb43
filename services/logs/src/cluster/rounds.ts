import { setTimeout as sleep } from 'node:timers/promises'

/** Does something again and again until the signal aborts, with so long a pause before each time; a failure is told of, and the next round comes. */
export const inRounds = async (
  milliseconds: number,
  signal: AbortSignal,
  work: () => Promise<unknown>,
  onFailure: (error: unknown) => void,
): Promise<void> => {
  while (!signal.aborted) {
    await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined)
    if (!signal.aborted) await work().catch(onFailure)
  }
}
