import { defineConfig } from 'vitest/config'

const projectOf = (name: string, include: string[], env: Record<string, string>) => ({
  extends: true as const,
  test: { name, include, env },
})

export default defineConfig({
  test: {
    // Ample, so that a busy machine fails no test: speed is for the benches.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      projectOf('embedded', ['services/**/*.test.ts', 'protos/plugin/**/*.test.ts', 'test/**/*.test.ts'], {
        TRELLIS_FORM: 'embedded',
      }),
      // What users do, word for word the same, on processes of their own over NATS, Postgres and S3.
      projectOf('distributed', ['test/main-jobs/{listings,logs,music}.test.ts', 'test/conformance/**/*.test.ts'], {
        TRELLIS_FORM: 'distributed',
      }),
    ],
  },
})
