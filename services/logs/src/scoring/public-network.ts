import { isIPv4 } from 'node:net'
import { isLocalAddress } from '@trellis/kit/egress'

/** The half of a public IPv4 address that tells networks apart; null for private ones, and for IPv6, which a host has beside the other. */
export const publicNetworkOf = (address: string): string | null =>
  isIPv4(address) && !isLocalAddress(address) ? address.split('.').slice(0, 2).join('.') : null
