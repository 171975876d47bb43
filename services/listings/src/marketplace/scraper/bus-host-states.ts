import { type Bus, jsonCodec, shared } from '@trellis/kit/bus'
import { type HostState, type HostStates, newHostState } from './host-states.ts'

/** Request state by host, shared by all workers of an installation. */
const values = shared({ name: 'listings.standings', ...jsonCodec<HostState>() })

/**
 * Host states that workers on any machine share over the bus. The gate's clock must be the time of day, and the clocks of the
 * machines must agree: two requests may come closer together by their difference. `bus` is called for each change, so that
 * the first change can connect it.
 */
export const createBusHostStates = (bus: () => Promise<Pick<Bus, 'update'>>): HostStates => ({
  change: async (host, make) =>
    (await bus()).update(values, host, (known) => {
      const value = { ...newHostState(), ...known }
      const result = make(value)
      return { value, result }
    }),
})

/** Creates the stream of the values, since workers, who change them, may not create it. Idempotent. */
export const prepareBusHostStates = (bus: Pick<Bus, 'update'>): Promise<void> =>
  bus.update(values, 'prepared', () => ({ value: newHostState(), result: undefined }))
