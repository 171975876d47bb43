import { registeredDomain } from './domains.ts'

/** What is known of a domain when it is judged. Times are epoch milliseconds. */
export type Known = {
  domain: string
  count: number
  firstSeen: number
  /** When any scan last saw any domain. */
  now: number
  /** When any domain was first seen: if everything is new, being new is no sign. */
  since: number
  /** Names, else addresses, of the clients that queried it. */
  devices: readonly string[]
}

/** A sign that a domain may be worth blocking: its points, and the reason in words; undefined if it does not apply. */
type Sign = { points: number; of: (known: Known) => string | undefined }

const day = 86_400_000

/** Labels that are typical of tracking or advertising. */
const trackerLabel =
  /^(?:ads?\d*|adserv(?:er|ice)s?|adx|advert\w*|analytics?|beacons?|clicks?|collect(?:or)?|crash(?:lytics)?|doubleclick|events?-?log\w*|metrics?|pixels?|promo|stat(?:s|istics)?|syndication|tag(?:s|manager)|telemetry|track(?:ing|er)?s?|trk)\d*$/

/** Companies that offer their visitors nothing but tracking or advertising. */
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

/** Names of devices that have no browser: they send their queries by themselves. */
const thing =
  /\b(?:tv|television|cam(?:era)?s?|doorbell|plugs?|bulbs?|lights?|lamps?|printers?|scanner|vacuum|robot|fridge|oven|washer|dryer|dishwasher|thermostat|speakers?|soundbar|alexa|echo|sonos|roku|chromecast|console|scale|sensor|inverter|charger|iot)\b/i

/** Shannon entropy in bits per character (C. E. Shannon, 1948). Labels in natural language have 3 to 3.5, random ones more. */
const entropy = (label: string): number => {
  const counts = new Map<string, number>()
  for (const character of label) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce((sum, count) => sum - (count / label.length) * Math.log2(count / label.length), 0)
}

const isRandom = (label: string): boolean => {
  const digits = label.replace(/\D/g, '').length
  return label.length >= 12 && digits >= 3 && digits < label.length && entropy(label) >= 3.3
}

/** Their points sum up to 100 at most. Frequency alone means little: it only orders domains with equal points. */
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
        ? `only devices without a browser query it: ${devices.slice(0, 3).join(', ')}`
        : undefined,
  },
  {
    points: 10,
    of: ({ domain }) => {
      const label = domain.split('.').find(isRandom)
      return label === undefined ? undefined : `"${label.slice(0, 40)}" in its name looks random`
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

/** The sum of a domain's points, and the reasons with their points. Frequency adds up to 5: one for each power of ten. */
export const judge = (known: Known): Judgement => {
  const found = signs.flatMap(({ points, of }) => {
    const reason = of(known)
    return reason === undefined ? [] : [{ points, reason }]
  })
  const often = Math.min(maxForCount, Math.floor(Math.log10(Math.max(1, known.count))))
  const all = often > 0 ? [...found, { points: often, reason: `it was queried ${known.count} times` }] : found
  return {
    score: all.reduce((sum, { points }) => sum + points, 0),
    reasons: all.map(({ points, reason }) => `${reason} (${points})`),
  }
}
