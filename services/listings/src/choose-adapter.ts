import { serviceError } from '@trellis/kit/errors'
import { Adapter } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { apiCredentials, type ListingsConfig, usesDemo } from './config.ts'

/** Chooses the adapter of a request: with credentials the API, which the demo has, too. Throws 503 if it requires the API and that is not configured. */
export const chooseAdapter = (requested: Adapter, config: ListingsConfig): 'api' | 'scraper' => {
  const hasAddress = config.apiUrl !== undefined || usesDemo(config)
  const hasApi = hasAddress && apiCredentials(config) !== undefined
  if (requested !== Adapter.API) return requested === Adapter.SCRAPER || !hasApi ? 'scraper' : 'api'
  if (hasApi) return 'api'
  const missing =
    config.apiUrl === undefined
      ? 'MARKETPLACE_API_URL, MARKETPLACE_APP_ID and MARKETPLACE_CERT_ID'
      : 'MARKETPLACE_APP_ID and MARKETPLACE_CERT_ID'
  throw serviceError(
    'unavailable',
    `The marketplace API is not configured: set ${missing}, or search with adapter=scraper.`,
  )
}
