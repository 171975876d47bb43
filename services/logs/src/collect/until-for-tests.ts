import { setImmediate as soon } from 'node:timers/promises'

/** Asks until what is asked about holds, as somebody who waits for it would; the test's own limit ends what never does. */
export const until = async <Value>(
  ask: () => Promise<Value> | Value,
  holds: (value: Value) => boolean,
): Promise<Value> => {
  for (;;) {
    const value = await ask()
    if (holds(value)) return value
    await soon()
  }
}
