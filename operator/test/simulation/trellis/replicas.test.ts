import { expect, test } from 'vitest'
import { calm, stormy } from '../mod.ts'
import type { Schedule } from './life.ts'
import { failing, scheduleCount, schedulesOf, timeout } from './schedules.ts'

const two = { operators: 2, mishaps: ['kill', 'pause', 'isolate'] } satisfies Omit<Schedule, 'seed'>

const calmTakeovers = schedulesOf(scheduleCount * 0.25, { ...two, faults: calm })
test(
  `of two replicas that are killed, stopped and woken, and cut off, one leads, in ${calmTakeovers.length} schedules in calm weather`,
  async () => expect(await failing(calmTakeovers)).toEqual([]),
  timeout,
)

const stormyTakeovers = schedulesOf(scheduleCount * 0.5, { ...two, faults: { ...stormy, late: 0 }, isStormy: true })
test(
  `and in ${stormyTakeovers.length} storms, in which the one that leads no more writes nothing, and the one that leads does nothing twice`,
  async () => expect(await failing(stormyTakeovers)).toEqual([]),
  timeout,
)

const lateTakeovers = schedulesOf(scheduleCount * 0.25, { ...two, faults: stormy, isStormy: true })
test(
  `and in ${lateTakeovers.length} storms in which requests are carried out long after they were given up, no run is worked on twice at a time`,
  async () => expect(await failing(lateTakeovers)).toEqual([]),
  timeout,
)
