/** A promise to users of a service and its tests: the file, and the title or a part of it. */
export type Promised = { promise: string; tests: readonly Held[] }
export type Held = readonly [file: string, title: string]
export type Theme = { title: string; promises: readonly Promised[] }

/** The promises of a service. */
export type Requirements = {
  /** The first part of the page's name. */
  service: string
  /** The service as its page names it. */
  title: string
  themes: readonly Theme[]
  /** Promises that are not implemented yet, and why. */
  notYet: readonly (readonly [promise: string, why: string])[]
}

/** Paths of test files. */
export const listings = (path: string) => `services/listings/src/${path}.test.ts`
export const logs = (path: string) => `services/logs/src/${path}.test.ts`
export const music = (path: string) => `services/music/src/${path}.test.ts`
export const kit = (path: string) => `services/kit/src/${path}.test.ts`
export const edge = (path: string) => `services/edge/src/${path}.test.ts`
export const contract = (name: string) => `test/contract/${name}.test.ts`
export const musicJobs = 'test/main-jobs/music.test.ts'
export const jobs = (name: string) => `test/main-jobs/logs${name}.test.ts`
export const keys = 'test/contract/logs-keys.test.ts'
export const localBranches = 'services/branch/src/local/local-branches.test.ts'

/** A section of promises, one per row. */
export const theme = (title: string, ...rows: readonly (readonly [promise: string, ...tests: Held[]])[]): Theme => ({
  title,
  promises: rows.map(([promise, ...tests]) => ({ promise, tests })),
})
