import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exploringFiles } from './exploring.ts'
import { testFiles } from './imports.ts'
import { root } from './process.ts'

const imports = /from '(?:fast-check|[^']*\/(?:exploration|property-runs)(?:\.ts)?)'/

test('npm run test:long selects every test file that imports exploration functions', () => {
  const importing = testFiles().filter((file) => imports.test(readFileSync(join(root, file), 'utf8')))
  expect(importing.length).toBeGreaterThan(60)
  expect(exploringFiles()).toEqual(expect.arrayContaining(importing))
})

test('npm run test:long selects test files that explore through an imported module', () => {
  expect(exploringFiles()).toContain('operator/test/simulation/trellis/replicas.test.ts')
})

test('npm run test:long leaves out test files with fixed seeds', () => {
  expect(exploringFiles()).not.toContain('operator/src/runtime/election/election.test.ts')
})
