import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { randomFrom, shuffled } from '../support/exploration.ts'
import { form } from '../support/trellis.ts'
import { type FaultyInstallation, mainProgram, startFaulty } from './installation.ts'
import { type Fault, kinds, nameOfPoint, type Point } from './points.ts'
import { type AnyScenario, eventually } from './scenario.ts'

/** Milliseconds, longer than callers wait for the disk. */
const delayMilliseconds = 2_000

const nameOf = (fault: Fault) => `${nameOfPoint(fault)} ${fault.kind}`

/** Every call of the operation with each kind of fault. */
const faultsAt = (lasts: readonly Point[]): Fault[] =>
  lasts.flatMap((last) =>
    Array.from({ length: last.call }, (_, index) => ({ ...last, call: index + 1 })).flatMap((point) =>
      kinds.map((kind) => ({ ...point, kind, delayMilliseconds })),
    ),
  )

/** Restricts the faults by a regular expression on their names, such as `parse-worker/.* kill$`; all by default. */
const faultFilter = new RegExp(process.env.TEST_POINTS ?? '')

/** Background work makes some calls only occasionally, so an armed fault may not be reached. */
const triesPerFault = 10

export type FaultRun = { name: string; fired: boolean; wrong: string[]; milliseconds: number }
export type Violation = { scenario: string; fault: string; wrong: string[] }

/** A killed process has exited after so many milliseconds. */
const exitLimit = 10_000

const crashWords = /uncaught|unhandled|ERR_INVALID_STATE|ERR_UNHANDLED/i

const temporaryFiles = async ({ dataDirectory }: FaultyInstallation): Promise<string[]> => {
  const names = await readdir(join(dataDirectory, 'files', '.incoming')).catch(() => [])
  return names.map((name) => `a temporary file is left: ${name}`)
}

const runOne = async (installation: FaultyInstallation, scenario: AnyScenario, fault: Fault, key: string) => {
  const state = await scenario.prepare(installation, key)
  await installation.control.reset()
  await installation.control.arm(fault)
  const acknowledged = await scenario.operate(installation, state).catch(() => false)
  const fired = await installation.control.disarm()
  const wrong: string[] = []
  if (fired && fault.kind === 'kill' && fault.program === mainProgram) await installation.untilExit(exitLimit)
  if (!installation.isAlive) {
    if (fault.kind !== 'kill') wrong.push(`the process ended: ${installation.output().slice(-2_000)}`)
    await installation.restart()
  }
  // Object stores refuse the requests of processes whose clock is wrong; what happened before the clock was right again is checked.
  if (form === 'distributed') await installation.control.reset()
  wrong.push(...(await scenario.check(installation, state, acknowledged)))
  if (crashWords.test(installation.output())) wrong.push(installation.output().slice(-2_000))
  wrong.push(...(await eventually(() => temporaryFiles(installation))))
  return { fired, wrong }
}

/**
 * Runs an operation once to count its calls, then with one fault at a time, drawn with the seed, until `limit` faults were injected:
 * an error, a delay or a crash at one call. If all faults are used up, they are drawn again.
 */
export const runPoints = async (
  scenario: AnyScenario,
  { seed, limit, onFault }: { seed: number; limit: number; onFault?: (run: FaultRun) => void },
) => {
  const random = randomFrom(seed)
  const violations: Violation[] = []
  let injected = 0
  await using surroundings = await scenario.surroundings?.()
  const start = () => startFaulty(surroundings?.environment)
  let installation = await start()
  try {
    // The first run warms up whatever is started once; the second is counted.
    for (const key of ['warm', 'counted']) {
      const state = await scenario.prepare(installation, key)
      await installation.control.reset()
      await scenario.operate(installation, state)
      const wrong = await scenario.check(installation, state, true)
      if (wrong.length > 0) throw new Error(`Without any fault: ${wrong.join('\n')}`)
    }
    await installation.control.reset()
    const counted = await scenario.prepare(installation, 'points')
    await installation.control.reset()
    await scenario.operate(installation, counted)
    const all = faultsAt(await installation.control.counts()).filter((fault) => faultFilter.test(nameOf(fault)))
    let planned: Fault[] = []
    for (let number = 0; injected < limit && number < limit * triesPerFault; number += 1) {
      if (planned.length === 0) planned = shuffled(all, random)
      const fault = planned.pop()
      if (!fault) break
      const name = nameOf(fault)
      const began = Date.now()
      const { fired, wrong } = await runOne(installation, scenario, fault, `s${seed}n${number}`)
      if (fired) injected += 1
      if (fired && injected % 100 === 0)
        console.info(`${scenario.name}: ${injected} faults, ${violations.length} violations`)
      onFault?.({ name, fired, wrong, milliseconds: Date.now() - began })
      if (wrong.length > 0) {
        violations.push({ scenario: scenario.name, fault: name, wrong })
        // Start over, so that this violation is not reported again for the next point.
        await installation[Symbol.asyncDispose]()
        installation = await start()
      }
    }
    return { points: all.length, injected, violations }
  } finally {
    await installation[Symbol.asyncDispose]()
  }
}
