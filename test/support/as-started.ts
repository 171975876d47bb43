/**
 * What the project's commands set for all that they start, as far as it is set here: for processes of ours whose environment a test makes. What
 * one of them has compiled, the next need not compile again.
 */
export const asStarted: Record<string, string> = Object.fromEntries(
  ['MALLOC_ARENA_MAX', 'NODE_COMPILE_CACHE'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }),
)
