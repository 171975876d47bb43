import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

/** Number of listed files; TEST_LISTED overrides it. */
const listed = Number(process.env.TEST_LISTED || 10)

type Cost = { name: string; cpu: number; seconds: number }

const costOf = (module: TestModule, root: string): Cost => ({
  name: `${relative(root, module.moduleId)}${module.project.name === 'distributed' ? ' (distributed)' : ''}`,
  cpu: module.meta().cpu ?? 0,
  seconds: module.diagnostic().duration / 1_000,
})

/** Lines about the most expensive test files, so that a growing run is noticed. */
export const slowestLines = (costs: readonly Cost[], count = listed): string[] => {
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
    const costs = modules.map((module) => costOf(module, module.project.vitest.config.root))
    process.stdout.write(`\n${slowestLines(costs).join('\n')}\n`)
  }
}
