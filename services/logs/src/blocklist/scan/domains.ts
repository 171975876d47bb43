import { parse } from 'tldts'

/** Zones of private networks and protocols, which look like names of the internet (RFC 6761, 7686, 8375, 9476). */
const reservedZones = [
  'arpa',
  'local',
  'localhost',
  'internal',
  'test',
  'invalid',
  'example',
  'onion',
  'alt',
  'lan',
  'home',
]

/**
 * Names that devices and systems depend on: time, updates, certificates, connectivity checks, package mirrors, and resolvers. Each includes its
 * subdomains.
 */
export const essentialZones: readonly string[] = [
  'ntp.org',
  'time.apple.com',
  'time.windows.com',
  'time.google.com',
  'time.cloudflare.com',
  'time.nist.gov',
  'windowsupdate.com',
  'update.microsoft.com',
  'delivery.mp.microsoft.com',
  'swcdn.apple.com',
  'swscan.apple.com',
  'gdmf.apple.com',
  'mesu.apple.com',
  'debian.org',
  'ubuntu.com',
  'archlinux.org',
  'fedoraproject.org',
  'alpinelinux.org',
  'opensuse.org',
  'raspberrypi.com',
  'raspbian.org',
  'docker.io',
  'docker.com',
  'ghcr.io',
  'quay.io',
  'registry.npmjs.org',
  'pypi.org',
  'files.pythonhosted.org',
  'github.com',
  'githubusercontent.com',
  'letsencrypt.org',
  'lencr.org',
  'digicert.com',
  'pki.goog',
  'globalsign.com',
  'sectigo.com',
  'amazontrust.com',
  'identrust.com',
  'msftconnecttest.com',
  'msftncsi.com',
  'captive.apple.com',
  'connectivitycheck.gstatic.com',
  'connectivity-check.ubuntu.com',
  'detectportal.firefox.com',
  'nmcheck.gnome.org',
  'dns.google',
  'one.one.one.one',
  'cloudflare-dns.com',
  'dns.quad9.net',
  'pi-hole.net',
  'adguard.com',
  'adtidy.org',
  'root-servers.net',
  'iana.org',
]

const isWithin = (domain: string, zones: readonly string[]): boolean =>
  zones.some((zone) => domain === zone || domain.endsWith(`.${zone}`))

/**
 * A domain name of the internet as it is blocked: in lower case, without the trailing dot. Undefined for addresses, names of private networks,
 * public suffixes themselves, and invalid names. Uses the public suffix list (publicsuffix.org).
 */
export const domainOf = (text: string): string | undefined => {
  const name = text.toLowerCase().replace(/\.$/, '')
  // Underscores occur in labels of services only, never in the top-level domain.
  if (name.length > 253 || !/^(?:[a-z0-9_-]{1,63}\.)+[a-z0-9-]{2,63}$/.test(name)) return undefined
  const { domain, hostname, isIp, isIcann } = parse(name, { allowPrivateDomains: false, extractHostname: false })
  if (isIp || !isIcann || domain === null || hostname !== name) return undefined
  return isWithin(name, reservedZones) ? undefined : name
}

/** The registered part of a name. */
export const registeredDomain = (domain: string): string => parse(domain, { extractHostname: false }).domain ?? domain

/** Whether blocking a name would do more harm than good. `own` are names that this service needs, such as the filter's. */
export const isEssential = (domain: string, own: readonly string[]): boolean =>
  isWithin(domain, essentialZones) || isWithin(domain, own)
