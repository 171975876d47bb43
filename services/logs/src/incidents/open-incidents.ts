import { type Implementation, implementation } from '@trellis/kit/rpc'
import { IncidentsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/incidents.ts'
import { createBundles } from '../bundles/bundles.ts'
import { bundlesRpc } from '../bundles/rpc.ts'
import { bundleMigration } from '../bundles/tables.ts'
import { ticketMigration } from '../tickets/tables.ts'
import { createTickets } from '../tickets/tickets.ts'
import type { World } from '../world.ts'
import type { IncidentDb } from './all-tables.ts'
import { createIncidents } from './incidents.ts'
import { incidentsRpc } from './rpc.ts'
import { incidentMigration } from './tables.ts'

/** The schema of incidents and what belongs to them, step by step. */
export const incidentMigrations = [incidentMigration, bundleMigration, ticketMigration]

/** Everything around incidents. */
export const openIncidents = (world: World, db: IncidentDb): AsyncDisposable & { implementation: Implementation } => {
  const { now } = world
  const incidents = createIncidents({ db, now })
  const bundles = createBundles({ db, incidents, world })
  const tickets = createTickets({ db, incidents, world })
  return {
    implementation: implementation(IncidentsServiceDefinition, {
      ...incidentsRpc({ world, incidents, db }),
      ...bundlesRpc({ bundles, db }),
      exportTicket: async ({ id, tracker, label, sanitize, again }, { signal }) => {
        const made = await tickets.export({
          incidentId: id,
          tracker,
          label: label ?? undefined,
          sanitize: sanitize ?? false,
          again: again ?? false,
          signal,
        })
        return { tracker: made.tracker, ticketId: made.ticket_id, url: made.url, created: made.isNew }
      },
    }),
    [Symbol.asyncDispose]: () => bundles[Symbol.asyncDispose](),
  }
}
