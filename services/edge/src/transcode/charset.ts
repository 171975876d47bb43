import type { IncomingHttpHeaders } from 'node:http'
import { serviceError } from '@trellis/kit/errors'

/** UTF-8 and its subset, by their registered names and common spellings. */
const readable = ['utf-8', 'utf8', 'us-ascii', 'ascii']

/** Throws 415 for a body that its Content-Type declares to be in another encoding than UTF-8 (RFC 8259, section 8.1): it would be misread. */
export const refuseOtherCharsets = ({ 'content-type': contentType = '' }: IncomingHttpHeaders): void => {
  const charset = /;\s*charset="?([^\s";]+)/i.exec(contentType)?.[1]?.toLowerCase()
  if (charset === undefined || readable.includes(charset)) return
  throw serviceError(
    'unsupported_media',
    `A body in the encoding "${charset.slice(0, 40)}" is not supported. Send it in UTF-8, without a charset in the Content-Type.`,
  )
}
