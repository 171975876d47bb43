import { registeredDomain } from './domains.ts'

/** What is known of a domain when it is judged. */
export type Known = {
  domain: string
  count: number
  firstSeen: number
  /** The newest entry that any scan has seen. */
  now: number
  /** The oldest, of all domains: where all is new, nothing is. */
  since: number
  /** Names, else addresses, of those that asked. */
  devices: readonly string[]
}

/** A sign that a domain may be worth blocking: its points, and what speaks for it in words; undefined where it is not there. */
type Sign = { points: number; of: (known: Known) => string | undefined }

const day = 86_400_000

/** Labels of names whose purpose is to watch or to advertise. */
const trackerLabel =
  /^(?:ads?\d*|adserv(?:er|ice)s?|adx|advert\w*|analytics?|beacons?|clicks?|collect(?:or)?|crash(?:lytics)?|doubleclick|events?-?log\w*|metrics?|pixels?|promo|stat(?:s|istics)?|syndication|tag(?:s|manager)|telemetry|track(?:ing|er)?s?|trk)\d*$/

/** Companies whose only service to the one who asks is to measure or to advertise. */
const trackerDomains = new Set([
  'doubleclick.net',
  'google-analytics.com',
  'googletagmanager.com',
  'googlesyndication.com',
  'googleadservices.com',
  'app-measurement.com',
  'scorecardresearch.com',
  'quantserve.com',
  'adnxs.com',
  'criteo.com',
  'taboola.com',
  'outbrain.com',
  'rubiconproject.com',
  'pubmatic.com',
  'openx.net',
  'adsrvr.org',
  'hotjar.com',
  'mixpanel.com',
  'segment.io',
  'amplitude.com',
  'appsflyer.com',
  'adjust.com',
  'branch.io',
  'crashlytics.com',
  'flurry.com',
  'newrelic.com',
  'nr-data.net',
  'moatads.com',
  'chartbeat.net',
  'samsungacr.com',
  'samsungads.com',
  'smartclip.net',
  'alphonso.tv',
  'tvinteractive.tv',
  'vizio.com',
  'ueiwsp.com',
  'demdex.net',
  'omtrdc.net',
  'everesttech.net',
  'krxd.net',
  'mathtag.com',
  'bluekai.com',
  'amazon-adsystem.com',
  'unityads.unity3d.com',
  'applovin.com',
  'vungle.com',
  'inmobi.com',
])

/** Names of devices that nobody browses with: what they ask for, they ask for themselves. */
const thing =
  /\b(?:tv|television|cam(?:era)?s?|doorbell|plugs?|bulbs?|lights?|lamps?|printers?|scanner|vacuum|robot|fridge|oven|washer|dryer|dishwasher|thermostat|speakers?|soundbar|alexa|echo|sonos|roku|chromecast|console|scale|sensor|inverter|charger|iot)\b/i

/** Bits a character; written language has 3 to 3.5 over a whole label, what is drawn at random more. C. E. Shannon, 1948. */
const entropy = (label: string): number => {
  const counts = new Map<string, number>()
  for (const character of label) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce((sum, count) => sum - (count / label.length) * Math.log2(count / label.length), 0)
}

const isRandom = (label: string): boolean => {
  const digits = label.replace(/\D/g, '').length
  return label.length >= 12 && digits >= 3 && digits < label.length && entropy(label) >= 3.3
}

/** Together at most 100. How often a name is asked for says little by itself: it only orders those that are alike otherwise. */
export const signs: readonly Sign[] = [
  {
    points: 40,
    of: ({ domain }) =>
      trackerDomains.has(registeredDomain(domain)) || trackerDomains.has(domain)
        ? `${registeredDomain(domain)} is known for measuring or advertising`
        : undefined,
  },
  {
    points: 25,
    of: ({ domain }) => {
      const registered = registeredDomain(domain)
      const own = domain.slice(0, -registered.length).split('.')
      const label = [...own, ...(registered.split('.')[0] ?? '').split('-')].find((part) =>
        part.split('-').some((word) => trackerLabel.test(word)),
      )
      return label === undefined ? undefined : `"${label}" in its name is usual for tracking`
    },
  },
  {
    points: 15,
    of: ({ devices }) =>
      devices.length > 0 && devices.every((device) => thing.test(device))
        ? `only devices without a browser ask for it: ${devices.slice(0, 3).join(', ')}`
        : undefined,
  },
  {
    points: 10,
    of: ({ domain }) => {
      const label = domain.split('.').find(isRandom)
      return label === undefined ? undefined : `"${label.slice(0, 40)}" in its name looks drawn at random`
    },
  },
  {
    points: 5,
    of: ({ firstSeen, now, since }) =>
      now - firstSeen < day && firstSeen - since >= day ? 'it was first seen less than a day ago' : undefined,
  },
]

const maxForCount = 5

export type Judgement = { score: number; reasons: string[] }

/** The sum of a domain's signs, and what they are: each tells its points. Frequency adds up to 5: one for each power of ten. */
export const judge = (known: Known): Judgement => {
  const found = signs.flatMap(({ points, of }) => {
    const reason = of(known)
    return reason === undefined ? [] : [{ points, reason }]
  })
  const often = Math.min(maxForCount, Math.floor(Math.log10(Math.max(1, known.count))))
  const all = often > 0 ? [...found, { points: often, reason: `it was asked for ${known.count} times` }] : found
  return {
    score: all.reduce((sum, { points }) => sum + points, 0),
    reasons: all.map(({ points, reason }) => `${reason} (${points})`),
  }
}
