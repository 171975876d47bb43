import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import {
  type Cost,
  type Costs,
  costKey,
  costsFile,
  expensiveSeconds,
  hashOfText,
  pathOfKey,
  readCosts,
} from './expensive-files.ts'

/** Number of listed files; TEST_LISTED overrides it. */
const listed = Number(process.env.TEST_LISTED || 10)

type Listed = { name: string; cpu: number; seconds: number }

/** The recorded costs with those of a run in place of earlier ones. */
const withCostsOf = (modules: readonly TestModule[], root: string): Costs => {
  const costs = modules.map((module) => ({
    key: costKey(module.project.name, relative(root, module.moduleId)),
    seconds: Math.round(module.diagnostic().duration / 1_000),
    text: hashOfText(readFileSync(module.moduleId, 'utf8')),
  }))
  const ran = new Set(costs.map(({ key }) => key))
  const others = Object.entries(readCosts()).filter(([key]) => !ran.has(key) && existsSync(join(root, pathOfKey(key))))
  const measured = costs
    .filter(({ seconds }) => seconds >= expensiveSeconds)
    .map(({ key, seconds, text }): [string, Cost] => [key, { seconds, text }])
  return Object.fromEntries([...others, ...measured].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

const listedOf = (module: TestModule, root: string): Listed => ({
  name: `${relative(root, module.moduleId)}${module.project.name === 'distributed' ? ' (distributed)' : ''}`,
  cpu: module.meta().cpu ?? 0,
  seconds: module.diagnostic().duration / 1_000,
})

/** Lines about the most expensive test files, so that a growing run is noticed. */
export const slowestLines = (costs: readonly Listed[], count = listed): string[] => {
  const total = costs.reduce((sum, { cpu }) => sum + cpu, 0)
  const rows = costs
    .toSorted((a, b) => b.cpu - a.cpu)
    .slice(0, count)
    .map(({ name, cpu, seconds }) => `${cpu.toFixed(1).padStart(8)} s ${seconds.toFixed(1).padStart(8)} s   ${name}`)
  return [
    `The ${rows.length} most expensive of ${costs.length} test files, which took ${Math.round(total)} s of CPU (CPU, wall clock):`,
    ...rows,
  ]
}

/** A vitest reporter that lists the most expensive test files at the end of a run with more files than that, or of any with TEST_LISTED. */
export default class SlowestReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]) {
    if (modules.length <= listed && !process.env.TEST_LISTED) return
    const root = modules[0]?.project.vitest.config.root ?? ''
    if (process.env.TEST_RECORD)
      writeFileSync(costsFile, `${JSON.stringify(withCostsOf(modules, root), undefined, 2)}\n`)
    const costs = modules.map((module) => listedOf(module, root))
    process.stdout.write(`\n${slowestLines(costs).join('\n')}\n`)
  }
}
