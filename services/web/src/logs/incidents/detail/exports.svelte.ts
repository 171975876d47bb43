import type { TicketRest } from '@trellis/protos/edge/client.ts'
import { action } from '../../../api/action.svelte.ts'
import { call, request } from '../../../api/client.ts'
import { saveFile } from '../../../ui/save-file.ts'
import { toasts } from '../../../ui/toasts.svelte.ts'
import type { Tracker } from './trackers.ts'

/** The exports of an incident. They may still run when the dialog that started them is closed. */
export const createExports = (
  id: () => string,
  { ondone, onfailed }: { ondone: () => Promise<void>; onfailed: () => Promise<void> },
) => {
  let isSanitized = $state(true)
  let created = $state.raw<{ of: string; ticket: TicketRest } | undefined>(undefined)
  const sent = () => ({ path: { id: id() }, query: { sanitize: isSanitized } })
  const download = action(async () => {
    const response = await request('GET /logs/api/incidents/{id}/bundle', sent())
    saveFile(new File([await response.blob()], `incident-${id()}.json`, { type: 'application/json' }))
    await ondone()
  })
  const send = action(async () => {
    try {
      const { status, last_error: reason } = await call('POST /logs/api/incidents/{id}/send', sent())
      const later = reason
        ? `The bundle is queued and will be sent again: ${reason}`
        : 'The bundle is queued and will be sent'
      toasts.show(status === 'queued' ? later : 'Bundle sent')
    } catch (error) {
      // A refusal is an event of the incident, too.
      await onfailed()
      throw error
    }
    await ondone()
  })
  const createTicket = action(async (tracker: Tracker['name']) => {
    const of = id()
    created = { of, ticket: await call('POST /logs/api/incidents/{id}/export', { ...sent(), body: { tracker } }) }
    await ondone()
  })
  const all = [download, send, createTicket]
  return {
    download,
    send,
    createTicket,
    /** Whether personal data is masked in what is exported. */
    get isSanitized() {
      return isSanitized
    },
    set isSanitized(value: boolean) {
      isSanitized = value
    },
    /** The ticket that was created last for the incident that is shown. */
    get ticket(): TicketRest | undefined {
      return created?.of === id() ? created.ticket : undefined
    },
    get failures() {
      return all.flatMap(({ failure }) => failure ?? [])
    },
    dismiss: () => {
      for (const { dismiss } of all) dismiss()
    },
  }
}

export type Exports = ReturnType<typeof createExports>
