import { describe, expect, test } from 'vitest'
import { runSeed, runs, runsFactor, runsOrWhole, sample } from '../support/exploration.ts'
import { form } from '../support/trellis.ts'
import { search, streamedSearch } from './listing-scenarios.ts'
import { monitor, savedData } from './listing-user-scenarios.ts'
import { compaction, deletion, ingest, ingestUpload } from './log-scenarios.ts'
import { exporting, generation, upload } from './music-scenarios.ts'
import { type FaultRun, runPoints } from './run-points.ts'
import type { AnyScenario } from './scenario.ts'

const limit = runs(2)

const scenarios: AnyScenario[] = [
  ingest,
  ingestUpload,
  deletion,
  compaction,
  search,
  streamedSearch,
  savedData,
  monitor,
  upload,
  generation,
  exporting,
]

/** A monitor that starts on separate processes and is repeated takes minutes, so it is left to long runs. */
const short = form === 'embedded' ? scenarios : scenarios.filter((scenario) => scenario !== monitor)

/** Scenarios of a run: each starts installations of its own, which takes longest on the distributed form. With a factor of 10 all of them. */
const drawn = sample(
  runsFactor > 1 ? scenarios : short,
  runsOrWhole(form === 'embedded' ? 4 : 1, scenarios.length),
  'scenarios',
)

const slowMilliseconds = 30_000
const printSlow = ({ name, milliseconds }: FaultRun) => {
  if (milliseconds > slowMilliseconds) console.info(`${name}: ${Math.round(milliseconds / 1_000)} s`)
}

describe(`faults drawn with TEST_SEED=${runSeed}`, () => {
  test.each(drawn)(
    '$name loses nothing acknowledged, whichever call fails, hangs or crashes its process',
    async (scenario) => {
      const { violations, injected, points } = await runPoints(scenario, { seed: runSeed, limit, onFault: printSlow })
      console.info(`${scenario.name}: ${injected} faults at ${points} points, ${violations.length} violations`)
      expect(violations).toEqual([])
      expect(injected).toBeGreaterThan(0)
    },
    300_000 * limit,
  )
})
