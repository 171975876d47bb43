import { expect, test } from 'vitest'
import { calm, stormy } from '../mod.ts'
import type { Schedule } from './life.ts'
import { failing, scheduleCount, schedulesOf, timeout } from './schedules.ts'

const two = { operators: 2, mishaps: ['kill', 'pause', 'isolate'] } satisfies Omit<Schedule, 'seed'>

const calmTakeovers = schedulesOf(scheduleCount * 0.25, { ...two, faults: calm })
test(
  `one of two replicas leads while they are killed, paused and isolated, in ${calmTakeovers.length} fault-free schedules`,
  async () => expect(await failing(calmTakeovers)).toEqual([]),
  timeout,
)

const stormyTakeovers = schedulesOf(scheduleCount * 0.5, { ...two, faults: { ...stormy, late: 0 }, isStormy: true })
test(
  `a former leader writes nothing and the leader does nothing twice, in ${stormyTakeovers.length} storms`,
  async () => expect(await failing(stormyTakeovers)).toEqual([]),
  timeout,
)

const lateTakeovers = schedulesOf(scheduleCount * 0.25, { ...two, faults: stormy, isStormy: true })
test(
  `no run has two workers at once in ${lateTakeovers.length} storms where requests execute after their timeout`,
  async () => expect(await failing(lateTakeovers)).toEqual([]),
  timeout,
)
