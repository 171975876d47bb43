import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { costKey, readCosts } from './expensive-files.ts'

/** Runs the most expensive files first, so that none of them runs alone at the end; the others follow in the order of vitest. */
export class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const costs = readCosts()
    const secondsOf = ({ project, moduleId }: TestSpecification): number =>
      costs[costKey(project.name, relative(project.vitest.config.root, moduleId))]?.seconds ?? 0
    const sorted = await super.sort(specifications)
    return sorted.toSorted((a, b) => secondsOf(b) - secondsOf(a))
  }
}
