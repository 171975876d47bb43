import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['services/**/*.test.ts', 'protos/plugin/**/*.test.ts', 'test/**/*.test.ts'],
    // Ample, so that a busy machine fails no test: speed is for the benches.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: 'forks',
    maxWorkers: 2,
  },
})
