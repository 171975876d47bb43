/** Tests that also run on the distributed form: separate processes over NATS, Postgres and S3; and tests that kill these processes. */
export const distributed = [
  'test/main-jobs/{listings,logs,logs-blocklist,logs-context,logs-settings,music}.test.ts',
  'test/conformance/**/*.test.ts',
  'test/aborts/**/*.test.ts',
  'test/hostile/hostile.test.ts',
  'services/web/test/journeys/{keyboard,listings,logs,music}.test.ts',
  'test/faults/**/*.test.ts',
]

/**
 * Expensive tests that every run runs whole on the embedded form. On the distributed form, a run draws one of each group by its seed;
 * `npm run test:long` and a run that names the file run it in any case.
 */
export const drawnOnDistributed = [
  ['keyboard', 'listings', 'logs', 'music'].map((name) => `services/web/test/journeys/${name}.test.ts`),
  ['test/aborts/aborts.test.ts', 'test/hostile/hostile.test.ts'],
]

/** Whether an argument of vitest, a part of a path, selects files that a group contains. */
const names = (argument: string, group: readonly string[]): boolean =>
  !argument.startsWith('-') && group.some((file) => file.includes(argument.replace(/^\.\//, '')))

/** The drawn files that this run leaves out on the distributed form. `draw` chooses one of a group. */
export const leftOutOnDistributed = (
  args: readonly string[],
  isLong: boolean,
  draw: (group: readonly string[]) => readonly string[],
): string[] =>
  isLong
    ? []
    : drawnOnDistributed
        .filter((group) => !args.some((argument) => names(argument, group)))
        .flatMap((group) => {
          const drawn = draw(group)
          return group.filter((file) => !drawn.includes(file))
        })

/** Tests on the cluster of KUBECONFIG with images of this checkout; only "npm run test:cluster" runs them. */
export const onCluster = ['test/cluster/*.test.ts', 'test/cluster/faults/**/*.test.ts']
