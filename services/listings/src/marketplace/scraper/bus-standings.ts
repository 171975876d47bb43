import { type Bus, jsonCodec, shared } from '@trellis/kit/bus'
import { freshStanding, type Standing, type Standings } from './standings.ts'

/** How we stand with hosts, by host, for all workers of an installation. */
const values = shared({ name: 'listings.standings', ...jsonCodec<Standing>() })

/**
 * Standings that workers share over the bus, on whichever machines they are. The gate's clock must then be the time of day, and
 * those of the machines agree: by what they differ, two requests may come closer together. `bus` is asked for with each change,
 * so that it can be joined by the first.
 */
export const createBusStandings = (bus: () => Promise<Pick<Bus, 'change'>>): Standings => ({
  change: async (host, make) =>
    (await bus()).change(values, host, (known) => {
      const value = { ...freshStanding(), ...known }
      const result = make(value)
      return { value, result }
    }),
})

/** Makes the stream of the values exist: workers, who change them, may not create it. Idempotent. */
export const prepareBusStandings = (bus: Pick<Bus, 'change'>): Promise<void> =>
  bus.change(values, 'prepared', () => ({ value: freshStanding(), result: undefined }))
