import { type Bus, jsonCodec, shared } from '@trellis/kit/bus'
import { type HostState, type HostStates, newHostState } from './host-states.ts'

/** How we stand with hosts, by host, for all workers of an installation. */
const values = shared({ name: 'listings.standings', ...jsonCodec<HostState>() })

/**
 * Standings that workers share over the bus, on whichever machines they are. The gate's clock must then be the time of day, and
 * those of the machines agree: by what they differ, two requests may come closer together. `bus` is asked for with each change,
 * so that it can be joined by the first.
 */
export const createBusHostStates = (bus: () => Promise<Pick<Bus, 'update'>>): HostStates => ({
  change: async (host, make) =>
    (await bus()).update(values, host, (known) => {
      const value = { ...newHostState(), ...known }
      const result = make(value)
      return { value, result }
    }),
})

/** Makes the stream of the values exist: workers, who change them, may not create it. Idempotent. */
export const prepareBusHostStates = (bus: Pick<Bus, 'update'>): Promise<void> =>
  bus.update(values, 'prepared', () => ({ value: newHostState(), result: undefined }))
