import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The slowest test files, slowest first, so that none of them runs alone at the end. A prefix restricts an entry to one project.
 * `test/run/slowest.ts` prints the files that belong here.
 */
const longest = [
  'distributed:test/main-jobs/logs.test.ts',
  'distributed:test/faults/faults.test.ts',
  'test/contract/logs-replicas.test.ts',
  'test/aborts/aborts.test.ts',
  'distributed:test/conformance/conformance.test.ts',
  'test/fault-points/fault-points.test.ts',
  'operator/src/branch/branch.test.ts',
  'test/contract/music-replicas.test.ts',
  'test/contract/listings-replicas.test.ts',
  'test/contract/logs-together.test.ts',
  'services/listings/src/replicas.test.ts',
  'distributed:test/main-jobs/music.test.ts',
  'services/logs/src/incidents/automatic/automatic-incidents.test.ts',
  'test/conformance/schemathesis.test.ts',
  'test/chart/versions.test.ts',
  'test/contract/nats-bus-trouble.test.ts',
  'services/logs/src/service.test.ts',
  'services/listings/src/marketplace/browser/render.test.ts',
  'services/logs/src/scoring/scoring.test.ts',
]

const rankOf = ({ project, moduleId }: TestSpecification): number => {
  const path = relative(project.vitest.config.root, moduleId)
  const rank = longest.findIndex((name) => name === path || name === `${project.name}:${path}`)
  return rank < 0 ? longest.length : rank
}

/** Runs the slowest files first; the others follow in the order of vitest. */
export class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specifications)
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}
