import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['services/**/*.test.ts', 'protos/plugin/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
})
