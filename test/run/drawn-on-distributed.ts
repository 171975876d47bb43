import { runsFactor, sample } from '../support/exploration.ts'

/**
 * Expensive tests that every run runs whole on the embedded form. On the distributed form, a run draws one of each group by its seed;
 * `npm run test:long` and a run that names the file run it in any case.
 */
export const drawnGroups: readonly (readonly string[])[] = [
  ['keyboard', 'listings', 'logs', 'music'].map((name) => `services/web/test/journeys/${name}.test.ts`),
  ['test/aborts/aborts.test.ts', 'test/hostile/hostile.test.ts', 'test/upgrade/upgrade.test.ts'],
]

/** Whether an argument of vitest, a part of a path, selects a file of the group. */
const selects = (argument: string, group: readonly string[]): boolean =>
  !argument.startsWith('-') && group.some((file) => file.includes(argument.replace(/^\.\//, '')))

/** The files that a run with these arguments of vitest leaves out on the distributed form. Its module reads TEST_SEED when it is imported. */
export const leftOutOnDistributed = (args: readonly string[], isWhole = runsFactor >= 10): string[] =>
  isWhole
    ? []
    : drawnGroups
        .filter((group) => !args.some((argument) => selects(argument, group)))
        .flatMap((group) => {
          const drawn = sample(group, 1, group.join(' '))
          return group.filter((file) => !drawn.includes(file))
        })
