import type { IncomingHttpHeaders } from 'node:http'
import { serviceError } from '@trellis/kit/errors'
import type { Route } from '@trellis/protos/edge/routes.ts'
import { readsHeader } from './request.ts'

const header = 'content-encoding'

/** Whether a route decodes its body itself. */
export const readsEncoding = ({ headerFields }: Pick<Route, 'headerFields'>): boolean =>
  readsHeader({ headerFields }, header)

/** Throws 415 for a compressed body; only routes that declare the header accept one. RFC 9110, section 8.4. */
export const refuseEncoded = (headers: IncomingHttpHeaders): void => {
  const value = headers[header]
  if (value === undefined) return
  const encoding = value.trim().toLowerCase()
  if (encoding === '' || encoding === 'identity') return
  throw serviceError(
    'unsupported_media',
    `A body with "Content-Encoding: ${encoding.slice(0, 40)}" is not supported here. Send it uncompressed, without Content-Encoding.`,
    { headers: { 'accept-encoding': 'identity' } },
  )
}
