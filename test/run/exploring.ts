import { filesReaching, importsOf, testFiles } from './imports.ts'

/** Names of `test/support/exploration.ts` and `property-runs.ts` whose users run more cases with TEST_RUNS_FACTOR, or others with TEST_SEED. */
const explores = /\b(?:runSeed|runs|runsFactor|exploredSeeds|sample|drawnBackend|propertyRuns|propertyTimeout)\b/

/** Test files that explore: themselves or through modules of theirs. */
export const exploringFiles = (): string[] =>
  filesReaching(testFiles(), (module) =>
    importsOf(module).some(
      ({ from, names }) =>
        from === 'fast-check' || (/\/(?:exploration|property-runs)\.ts$/.test(from) && explores.test(names)),
    ),
  )
