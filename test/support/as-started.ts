/**
 * Variables that the project's commands set for their child processes, if set in this process: for our processes that tests start with an explicit
 * environment. They share a compile cache.
 */
export const asStarted: Record<string, string> = Object.fromEntries(
  ['MALLOC_ARENA_MAX', 'NODE_COMPILE_CACHE'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }),
)
