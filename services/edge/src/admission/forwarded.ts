import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { hostNameOf, isLoopbackName } from '@trellis/kit/hosts'
import { isThisMachine } from './client-address.ts'

/** Headers that proxies add to forwarded requests. */
const forwardingHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']

/** Whether a program on this machine would address the server by this `Host`. */
const isLocalHost = (host: string): boolean => {
  const name = hostNameOf(host)
  return name !== undefined && (isIP(name) !== 0 || isLoopbackName(name))
}

/**
 * Whether a proxy has forwarded a request, as far as that shows: by its headers; by HTTP/1.0, which nginx sends by default and browsers never; or, from
 * this machine, by a `Host` with the public name of the server.
 */
export const isForwarded = ({ headers, httpVersion, socket }: IncomingMessage): boolean =>
  httpVersion === '1.0' ||
  forwardingHeaders.some((name) => headers[name] !== undefined) ||
  (isThisMachine(socket.remoteAddress ?? '') && headers.host !== undefined && !isLocalHost(headers.host))
