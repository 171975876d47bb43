import type { IncomingHttpHeaders } from 'node:http'
import { serviceError } from '@trellis/kit/errors'
import type { Route } from '@trellis/protos/edge/routes.ts'

const header = 'content-encoding'

/** Whether a route reads the encoding of its body itself. */
export const readsEncoding = ({ headerFields }: Pick<Route, 'headerFields'>): boolean =>
  Object.values(headerFields).includes(header)

/** Throws 415 for a body that is compressed: only routes that declare the header take one. RFC 9110, section 8.4. */
export const refuseEncoded = (headers: IncomingHttpHeaders): void => {
  const given = headers[header]
  if (given === undefined) return
  const encoding = given.trim().toLowerCase()
  if (encoding === '' || encoding === 'identity') return
  throw serviceError(
    'unsupported_media',
    `A body with "Content-Encoding: ${encoding.slice(0, 40)}" is not read here: send it uncompressed, without Content-Encoding.`,
    { headers: { 'accept-encoding': 'identity' } },
  )
}
