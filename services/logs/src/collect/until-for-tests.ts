import { setImmediate as soon } from 'node:timers/promises'

/** Polls a value until it satisfies a condition. The timeout of the test ends a poll that never does. */
export const until = async <Value>(
  read: () => Promise<Value> | Value,
  holds: (value: Value) => boolean,
): Promise<Value> => {
  for (;;) {
    const value = await read()
    if (holds(value)) return value
    await soon()
  }
}
