import { isIPv4 } from 'node:net'
import { isLocalAddress } from '@trellis/kit/egress'

/** The first half of a public IPv4 address, which distinguishes networks. Null for private addresses, and for IPv6, which dual-stack hosts use as well. */
export const publicNetworkOf = (address: string): string | null =>
  isIPv4(address) && !isLocalAddress(address) ? address.split('.').slice(0, 2).join('.') : null
