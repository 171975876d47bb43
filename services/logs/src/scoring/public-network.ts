/** Networks that are in everybody's house (RFC 1918, 6598, 3927, 1122): an address there says nothing of a place. */
const privateNetworks =
  /^(?:0|10|127)\.|^169\.254\.|^192\.168\.|^172\.(?:1[6-9]|2\d|3[01])\.|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./

/** The half of a public IPv4 address that tells networks apart; null for private ones, and for IPv6, which a host has beside the other. */
export const publicNetworkOf = (address: string): string | null => {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(address) || privateNetworks.test(address)) return null
  return address.split('.').slice(0, 2).join('.')
}
