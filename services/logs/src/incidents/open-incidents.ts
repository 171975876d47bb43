import { type Implementation, implementation } from '@trellis/kit/rpc'
import { IncidentsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/incidents.ts'
import { createBundles } from '../bundles/bundles.ts'
import { bundlesRpc } from '../bundles/rpc.ts'
import type { Dependencies } from '../dependencies.ts'
import { createTickets } from '../tickets/tickets.ts'
import { createAutomaticIncidents } from './automatic/automatic-incidents.ts'
import { errorSourceOf, settleSource } from './automatic/store.ts'
import { createIncidents } from './incidents.ts'
import { incidentsRpc } from './rpc.ts'

/** Incidents, bundles, tickets and automatic incidents. */
export const openIncidents = (dependencies: Dependencies): AsyncDisposable & { implementation: Implementation } => {
  const { now, config, leases, arrivals, incidentRows: db } = dependencies
  const incidents = createIncidents({
    db,
    now,
    // The errors of the incident are settled: only later ones create another.
    settled: async (transaction, incident, until) => {
      const sourceId = incident.is_automatic === 1 ? errorSourceOf(incident) : null
      if (sourceId !== null) await settleSource(transaction, sourceId, until)
    },
  })
  const automatic = config.autoIncident
    ? createAutomaticIncidents({
        db,
        leases,
        dependencies,
        rule: {
          threshold: config.autoIncidentThreshold,
          windowMilliseconds: config.autoIncidentWindowSeconds * 1_000,
        },
        arrivals,
      })
    : undefined
  const bundles = createBundles({ db, incidents, dependencies })
  const tickets = createTickets({ db, leases, incidents, dependencies })
  return {
    implementation: implementation(IncidentsServiceDefinition, {
      ...incidentsRpc({ dependencies, incidents, db }),
      ...bundlesRpc({ bundles, db }),
      exportTicket: async ({ id, tracker, label, sanitize, again }, { signal }) => {
        const ticket = await tickets.export({
          incidentId: id,
          tracker,
          label: label ?? undefined,
          sanitize: sanitize ?? false,
          again: again ?? false,
          signal,
        })
        return { tracker: ticket.tracker, ticketId: ticket.ticket_id, url: ticket.url, created: ticket.isNew }
      },
    }),
    [Symbol.asyncDispose]: async () => {
      await automatic?.[Symbol.asyncDispose]()
      await bundles[Symbol.asyncDispose]()
    },
  }
}
