import { serviceError } from '@trellis/kit/errors'
import type { ListingsConfig } from '../config.ts'
import { apiCredentials, usesDemo } from '../config.ts'

/** The variables that the endpoint needs, each with whether it is set. */
const required = (config: ListingsConfig): readonly (readonly [variable: string, isSet: boolean])[] => {
  const isSandbox = config.environment === 'sandbox'
  const [id, key] = isSandbox
    ? [config.sandboxAppId, config.sandboxCertId]
    : [config.appId ?? config.clientId, config.certId ?? config.clientSecret]
  const prefix = isSandbox ? 'MARKETPLACE_SANDBOX' : 'MARKETPLACE'
  return [
    ['MARKETPLACE_NOTIFICATION_TOKEN', config.notificationToken !== undefined],
    ['MARKETPLACE_NOTIFICATION_ENDPOINT', config.notificationEndpoint !== undefined],
    [`${prefix}_APP_ID`, id !== undefined],
    [`${prefix}_CERT_ID`, key !== undefined],
    ['MARKETPLACE_WEBHOOK_VERIFY_SIGNATURES', config.verifySignatures !== undefined],
  ]
}

const misconfigured = (missing: readonly string[]) =>
  serviceError('misconfigured', `Account deletion notifications are not configured: set ${missing.join(', ')}.`)

export type WebhookHealth = { readonly endpoint: string; readonly verifiesSignatures: boolean }

/** The health of the webhook. Throws `misconfigured` with the names of all variables that are not set. */
export const webhookHealth = (config: ListingsConfig): WebhookHealth => {
  const missing = required(config).flatMap(([variable, isSet]) => (isSet ? [] : [variable]))
  if (missing.length > 0) throw misconfigured(missing)
  return { endpoint: config.notificationEndpoint ?? '', verifiesSignatures: verifiesSignatures(config) }
}

/** Whether signatures are verified: also if the setting is absent. */
export const verifiesSignatures = ({ verifySignatures }: ListingsConfig): boolean => verifySignatures ?? true

/** The settings that answer a challenge. Throws `misconfigured`. */
export const challengeSettings = (config: ListingsConfig): { readonly token: string; readonly endpoint: string } => {
  const { notificationToken: token, notificationEndpoint: endpoint } = config
  if (token !== undefined && endpoint !== undefined) return { token, endpoint }
  throw misconfigured([
    ...(token === undefined ? ['MARKETPLACE_NOTIFICATION_TOKEN'] : []),
    ...(endpoint === undefined ? ['MARKETPLACE_NOTIFICATION_ENDPOINT'] : []),
  ])
}

/** Address and credentials of the API that has the public keys; the address is undefined for that of the demo. Throws `misconfigured`. */
export const keyServer = (config: ListingsConfig) => {
  const credentials = apiCredentials(config)
  if ((config.apiUrl !== undefined || usesDemo(config)) && credentials !== undefined)
    return { apiUrl: config.apiUrl, ...credentials }
  const missing = required(config).flatMap(([variable, isSet]) => (isSet || !/_ID$/.test(variable) ? [] : [variable]))
  throw misconfigured([
    ...(config.apiUrl === undefined && !usesDemo(config) ? ['MARKETPLACE_API_URL'] : []),
    ...missing,
  ])
}
