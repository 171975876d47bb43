import type { ListSentBundlesResponseRest } from '@trellis/protos/edge/client.ts'

/** Why no bundle can be sent, in the server's words; undefined if one can, and before it is known. */
export const cannotSendBundles = (sent: ListSentBundlesResponseRest | undefined): string | undefined =>
  sent?.receiver === null ? 'No receiver of bundles is configured: set SERVICE_BUNDLE_ENDPOINT.' : undefined
