import { createEgress } from '@trellis/kit/egress'
import { startRounds } from '@trellis/kit/lifecycle'
import { type Implementation, implementation } from '@trellis/kit/rpc'
import { AlertsServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/alerts.ts'
import { mailSettings } from '../config.ts'
import type { Dependencies } from '../dependencies.ts'
import { createMailer } from './mail.ts'
import { runOutbox } from './outbox.ts'
import { recordAlerts } from './record.ts'
import { alertsRpc } from './rpc.ts'
import { sweepAlerts } from './store.ts'

const maxAnswerBytes = 1024 * 1024
const sweepPause = 6 * 3_600_000

/** What other features need from alerts. */
export type Alerts = {
  readonly implementation: Implementation
  readonly recordAlerts: typeof recordAlerts
  /** Delivers what was queued without waiting for the next round. */
  readonly deliver: () => void
}

/** Opens alerts: their handlers, their delivery, and the deletion of old ones. */
export const openAlerts = (dependencies: Dependencies, opened: AsyncDisposableStack): Alerts => {
  const { db, config, log, now, signal } = dependencies
  const settings = mailSettings(config)
  const blockPrivate = !(config.alertPrivateAddresses ?? !config.cloudMode)
  const rules = { blockPrivate, sendsMail: settings !== undefined, confirmsEmail: config.cloudMode }
  const egress = opened.use(
    createEgress({ blockPrivate, setting: 'LISTINGS_ALERT_PRIVATE_ADDRESSES', maxResponseBytes: maxAnswerBytes }),
  )
  const mailer = settings === undefined ? undefined : opened.use(createMailer(settings))
  const outbox = opened.use(runOutbox(dependencies, { egress, mailer }))
  opened.use(
    startRounds({
      milliseconds: sweepPause,
      startsAtOnce: true,
      signal,
      round: () => sweepAlerts(db, now()),
      onFailure: (error) => log.warn({ err: error }, 'listings: old alerts could not be deleted now'),
    }),
  )
  return {
    implementation: implementation(AlertsServiceDefinition, alertsRpc(dependencies, { rules, onQueued: outbox.wake })),
    recordAlerts,
    deliver: outbox.wake,
  }
}
