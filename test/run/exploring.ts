import { filesReaching, importsOf, testFiles } from './imports.ts'

/** Exports of `test/support/exploration.ts` and `property-runs.ts` that depend on TEST_RUNS_FACTOR or TEST_SEED. */
const explores =
  /\b(?:runSeed|runs|runsFactor|runsOrWhole|exploredSeeds|sample|drawnBackend|propertyRuns|propertyTimeout)\b/

/** Test files that explore, directly or through imported modules. */
export const exploringFiles = (): string[] =>
  filesReaching(testFiles(), (module) =>
    importsOf(module).some(
      ({ from, names }) =>
        from === 'fast-check' || (/\/(?:exploration|property-runs)(?:\.ts)?$/.test(from) && explores.test(names)),
    ),
  )
