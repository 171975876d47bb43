import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest, longest first, so that none of them runs alone at the end. Where one of two projects is meant, its name stands before
 * the path. `test/run/slowest.ts` names those that belong here.
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

const placeOf = ({ project, moduleId }: TestSpecification): number => {
  const path = relative(project.vitest.config.root, moduleId)
  const place = longest.findIndex((name) => name === path || name === `${project.name}:${path}`)
  return place < 0 ? longest.length : place
}

/** Begins with the files that take longest; the others follow as vitest would order them. */
export class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specifications)
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}
