import { defineConfig } from 'vitest/config'
import { distributed, onCluster } from './test/run/distributed-files.ts'
import { LongestFirst } from './test/run/longest-first.ts'
import { drawSeed } from './test/run/seed.ts'
import { postgresMissing } from './test/support/postgres.ts'
import { natsMissing, programVariables } from './test/support/programs.ts'
import { bundledModules } from './test/support/shared/bundled-modules.ts'
import { unitTests } from './test/support/unit-tests.ts'

// The same in all test processes; `npm test` has drawn it already and shown it.
process.env.TEST_SEED ||= String(drawSeed())

// Looked for once, not by each process of the run.
Object.assign(process.env, programVariables)

/** Files that need no process of their own. */
const unit = unitTests(import.meta.dirname, ['services', 'operator', 'protos/plugin', 'deploy'])

/**
 * Files that compute on samples. Node imports their modules by itself, since behind the module runner of vite each use of an import calls a getter,
 * which is a third of the time of such loops.
 */
const audio = [
  'services/music/src/{analysis,audio,dsp,generate}/**/*.test.ts',
  'services/music/src/worker/tasks.test.ts',
]
const imported = { viteModuleRunner: false }

/** Why this machine cannot run the distributed form, if it cannot. */
const missing = natsMissing ?? postgresMissing ?? ''

// Imported late, because it reads the seed.
const { filesNotDrawn, namedFiles } = await import('./test/run/drawn-files.ts')
const notDrawn = filesNotDrawn(namedFiles(process.argv.slice(2)))

/** The files that this run leaves out of a project. */
const leftOutOf = (project: string): string[] =>
  notDrawn.filter((key) => key.startsWith(`${project}:`)).map((key) => key.slice(project.length + 1))

/** What the whole cluster feels, so that nothing else may run on it meanwhile. */
const aloneOnCluster = ['test/cluster/faults/node-faults.test.ts']

export default defineConfig({
  plugins: [bundledModules()],
  test: {
    // Ample, so that a busy machine fails no test: speed is for the benches.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 120_000 } },
    pool: 'forks',
    // One more than the two cores that tests are made for: many wait for servers that start or stop, and for time limits.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/support/shared/setup.ts'],
    setupFiles: ['test/run/cpu-time.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'embedded',
          include: [
            'services/**/*.test.ts',
            'protos/plugin/**/*.test.ts',
            'operator/**/*.test.ts',
            'deploy/**/*.test.ts',
            'test/**/*.test.ts',
          ],
          exclude: [
            '**/node_modules/**',
            'test/faults/**',
            'test/skipped/**',
            'services/web/test/journeys/distributed.test.ts',
            ...onCluster,
            ...unit,
            ...audio,
            ...leftOutOf('embedded'),
          ],
          env: { TRELLIS_FORM: 'embedded' },
        },
      },
      {
        extends: true,
        test: {
          name: 'unit',
          include: unit,
          exclude: leftOutOf('unit'),
          pool: 'threads',
          isolate: false,
          experimental: imported,
        },
      },
      {
        extends: true,
        test: {
          name: 'audio',
          include: audio,
          exclude: [...unit, ...leftOutOf('audio')],
          experimental: imported,
        },
      },
      {
        extends: true,
        test: {
          name: 'distributed',
          include: missing === '' ? distributed : ['test/skipped/distributed.test.ts'],
          exclude: ['**/node_modules/**', ...leftOutOf('distributed')],
          env: { TRELLIS_FORM: 'distributed', TRELLIS_MISSING: missing },
        },
      },
      {
        extends: true,
        test: {
          name: 'cluster',
          include: onCluster,
          exclude: [...aloneOnCluster, ...leftOutOf('cluster')],
          globalSetup: ['test/cluster/support/setup.ts'],
          // A node of two cores has no room for the pods of two installations.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'cluster-alone',
          include: aloneOnCluster,
          exclude: leftOutOf('cluster-alone'),
          globalSetup: ['test/cluster/support/setup.ts'],
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
