/** A promise to users of the log service, and the tests that hold it: file, and (a part of) the title there. */
export type Promised = { promise: string; tests: readonly Held[] }
export type Held = readonly [file: string, title: string]
export type Theme = { title: string; promises: readonly Promised[] }

/** Where tests lie. */
export const logs = (path: string) => `services/logs/src/${path}.test.ts`
export const kit = (path: string) => `services/kit/src/${path}.test.ts`
export const jobs = (name: string) => `test/main-jobs/logs${name}.test.ts`
export const keys = 'test/contract/logs-keys.test.ts'
export const localBranches = 'services/branch/src/local/local-branches.test.ts'

/** A chapter of promises, each a row. */
export const theme = (title: string, ...rows: readonly (readonly [promise: string, ...tests: Held[]])[]): Theme => ({
  title,
  promises: rows.map(([promise, ...tests]) => ({ promise, tests })),
})
