import { parse } from 'tldts'

/** Zones that are of networks or of protocols, though they end like names of the internet (RFC 6761, 7686, 8375, 9476). */
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
 * Names without which devices and systems do not work: time, updates, certificates, checks for a connection, package mirrors, and resolvers. Each stands for
 * itself and all beneath it.
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
 * A name of the internet as it would be blocked: in lower case, without the dot at its end. Undefined for addresses, names of one's own network,
 * public suffixes by themselves, and what is no name at all. By the list of public suffixes (publicsuffix.org).
 */
export const domainOf = (text: string): string | undefined => {
  const name = text.toLowerCase().replace(/\.$/, '')
  // Labels of services have underscores; nothing else that is a name of a host has.
  if (name.length > 253 || !/^(?:[a-z0-9_-]{1,63}\.)+[a-z0-9-]{2,63}$/.test(name)) return undefined
  const { domain, hostname, isIp, isIcann } = parse(name, { allowPrivateDomains: false, extractHostname: false })
  if (isIp || !isIcann || domain === null || hostname !== name) return undefined
  return isWithin(name, reservedZones) ? undefined : name
}

/** The part of a name that somebody has registered. */
export const registeredDomain = (domain: string): string => parse(domain, { extractHostname: false }).domain ?? domain

/** Whether blocking a name would do more harm than good. `own` are names of ours, such as that of the filter. */
export const isEssential = (domain: string, own: readonly string[]): boolean =>
  isWithin(domain, essentialZones) || isWithin(domain, own)
