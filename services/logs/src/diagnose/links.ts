import type { StoredEntry } from '../entries/entry.ts'
import { domainOf } from '../patterns/active-patterns.ts'
import { wordsOf } from '../segments/tokens.ts'
import { namesOfProgram, programsOfPort } from '../sources/program-names.ts'
import { certainShare, type WeighedGroup, weightOf } from './causes.ts'
import type { Group } from './groups.ts'

/** Failures or changes before the trouble, of one template and source. */
export type Preceding = Group & {
  /** 1 for a template that was never seen before, 0 for one that is as frequent at other times. */
  surprise: number
  /** An event that changes something, such as a deployment, whatever its severity. */
  isChange: boolean
}

/** A preceding group that explains the trouble, directly or through other groups. */
export type LinkedGroup = WeighedGroup & {
  /** The certainty of the explanation: about 1 if one group names the other, or is a resource that it runs on. */
  share: number
  /** Time between its first occurrence and the trouble, in milliseconds. */
  lead: number
}

/** Earlier failures are treated as unrelated. */
export const lookbackMilliseconds = 15 * 60_000
/** Tolerance for the clocks of two machines, and for the delay until each detects a failure. */
const toleranceMilliseconds = 2_000
const maxHops = 3
const maxLinked = 10
const minShare = 0.15
/** The maximum weight of an uncertain explanation, as a share of the weight of what it explains. */
const uncertainShare = 0.9
/** Maximum number of groups whose causes are searched in the next step. */
const maxEffects = 20

/** Words in names of sources that are name servers. */
const nameServices = 'dns named bind unbound dnsmasq coredns resolved resolver pihole adguard'.split(' ')
const isAboutNames =
  /\b(?:lookup|resolv\w*|name resolution|no such host|NXDOMAIN|SERVFAIL|getaddrinfo|ENOTFOUND|EAI_AGAIN)\b/i

/** Words in names of sources that do not identify a service. */
const unspecific = new Set(
  'app log logs service server error errors access syslog messages journald journal docker file upload local host prod main www'.split(
    ' ',
  ),
)
/** A word in the names of more sources does not identify any of them. */
const maxSourcesOfWord = 2
const maxCharacters = 2_000

/** The words that identify each source; words shared with other sources, such as the host, are excluded. */
export const namesOfSources = (sourceIds: Iterable<string>): Map<string, readonly string[]> => {
  const words = new Map(
    [...new Set(sourceIds)].map((sourceId) => [
      sourceId,
      [...new Set(wordsOf(sourceId))].filter((word) => word.length > 1 && !unspecific.has(word) && !/^\d+$/.test(word)),
    ]),
  )
  const uses = new Map<string, number>()
  for (const word of [...words.values()].flat()) uses.set(word, (uses.get(word) ?? 0) + 1)
  return new Map(
    [...words].map(([sourceId, own]) => [sourceId, own.filter((word) => (uses.get(word) ?? 0) <= maxSourcesOfWord)]),
  )
}

/** The subjects of an entry: its words, and aliases of programs that it names, also by their ports. */
const subjectsOf = ({ text }: StoredEntry): Set<string> => {
  const start = text.slice(0, maxCharacters)
  const words = new Set(wordsOf(start))
  for (const word of [...words]) for (const other of namesOfProgram(word)) words.add(other)
  for (const [, port] of start.matchAll(/(?::|\bport[ =:]+)(\d{2,5})\b/gi))
    for (const other of programsOfPort(Number(port))) words.add(other)
  if (isAboutNames.test(start)) for (const word of nameServices) words.add(word)
  return words
}

const programName = /\b([a-z][\w.-]{1,40})\[\d+\]:/i

type Names = ReadonlyMap<string, readonly string[]>

/** The names of an entry's origin: those of its source, and of its program if the text contains it. */
const namesOf = ({ origin, text }: StoredEntry, names: Names): string[] => {
  const program = programName.exec(text.slice(0, 200))?.[1]
  const own = [...(names.get(origin.sourceId) ?? []), ...(program === undefined ? [] : wordsOf(program))]
  return own.flatMap(namesOfProgram)
}

const endpoint = /(?:\/\/|\bhost[ =]"?)(?:[^\s/@"]*@)?([\w-]+(?:\.[\w-]+)*)/g

/** The machines and services that an entry reports to have called: addresses, and the first labels of host names. */
const endpointsOf = ({ text }: StoredEntry): string[] =>
  [...text.slice(0, maxCharacters).matchAll(endpoint)]
    .map(([, host = '']) => (/^[\d.]+$/.test(host) ? host : (host.split('.')[0] ?? '')).toLowerCase())
    .filter((host) => host.length > 2 && !unspecific.has(host) && !/^(?:127\.|0\.0\.0\.0$)/.test(host))

/** Whether a text contains a name or an address as a whole word. */
const mentions = (text: string, name: string): boolean => {
  const start = text.slice(0, maxCharacters).toLowerCase()
  for (let at = start.indexOf(name); at >= 0; at = start.indexOf(name, at + 1))
    if (!/[\w.-]/.test(start.charAt(at - 1)) && !/[\w-]/.test(start.charAt(at + name.length))) return true
  return false
}

/** Whether the cause mentions an endpoint that the effect called: a program ended, and its name is that of an upstream. */
const isOfCalled = (cause: Group, effect: Group): boolean => {
  const called = new Set(effect.entries.slice(0, 5).flatMap(endpointsOf))
  return cause.entries.slice(0, 5).some(({ text }) => [...called].some((name) => mentions(text, name)))
}

/** Whether one group mentions the other: a failing client names its server, and a message about the end of a program names the program. */
const isNamed = (one: Group, other: Group, names: Names): boolean => {
  const mentionsOrigin = (mentioning: Group, of: Group) => {
    const targets = new Set(of.entries.slice(0, 3).flatMap((entry) => namesOf(entry, names)))
    return mentioning.entries.slice(0, 5).some((entry) => {
      const own = new Set(namesOf(entry, names))
      return [...subjectsOf(entry)].some((word) => targets.has(word) && !own.has(word))
    })
  }
  return mentionsOrigin(one, other) || mentionsOrigin(other, one)
}

/** The host of a source id such as `<prefix>:<host>:<unit>`, if it has one. */
const hostOf = ({ entries: [{ origin }] }: Group): string | undefined => {
  const [, host, ...unit] = origin.sourceId.split(':')
  return unit.length > 0 ? host : undefined
}

/** Domains of the resources that services run on. */
const resources = new Set(['memory', 'storage', 'kernel', 'power'])
const isOfResource = ({ entries: [{ matchedPatterns }] }: Group) =>
  matchedPatterns.some((tag) => resources.has(domainOf(tag)))
const hasFailed = ({ worst }: Group) => worst === 'CRITICAL' || worst === 'ERROR'

/** How strongly each relation suggests a cause; the first that holds counts. */
const relations: readonly (readonly [
  share: number,
  holds: (cause: Preceding, effect: Group, names: Names) => boolean,
])[] = [
  [1.2, (cause, effect, names) => isNamed(cause, effect, names) || isOfCalled(cause, effect)],
  [1, (cause, effect) => isOfResource(cause) && hostOf(cause) !== undefined && hostOf(cause) === hostOf(effect)],
  [0.7, (cause) => isOfResource(cause) && hasFailed(cause)],
  [0.5, (cause) => cause.isChange],
  [0.3, () => true],
]
const severityShare = { CRITICAL: 1, ERROR: 1, WARN: 0.8 }

const shareOf = (cause: Preceding, effect: Group, names: Names): number => {
  const lead = effect.first - cause.first
  if (lead < -toleranceMilliseconds || lead > lookbackMilliseconds) return 0
  const relation = relations.find(([, holds]) => holds(cause, effect, names))?.[0] ?? 0
  const severity = cause.worst === null ? (cause.isChange ? 1 : 0) : severityShare[cause.worst]
  const nearness = 1 - (0.15 * Math.max(0, lead)) / lookbackMilliseconds
  return relation * severity * nearness * cause.surprise
}

const keyOf = ({ entries: [{ origin }], template }: Group) => JSON.stringify([origin.branch, origin.sourceId, template])

/**
 * The groups that explain the trouble, directly or over a few steps: a proxy fails because an application does, because its database does. A cause
 * takes on the weight of what it explains, multiplied by its certainty, so that it outweighs its consequences, however many there are. A
 * group's `first` must be its first time in this trouble, not its first ever.
 */
export const linkGroups = (trouble: WeighedGroup, candidates: readonly Preceding[], names: Names): LinkedGroup[] => {
  const linked = new Map<string, LinkedGroup>()
  type Effect = { group: WeighedGroup; explains: readonly string[] }
  let effects: Effect[] = [{ group: trouble, explains: [keyOf(trouble)] }]
  for (let hop = 0; hop < maxHops; hop++) {
    const further: Effect[] = []
    for (const { group, explains } of effects)
      for (const cause of candidates) {
        const key = keyOf(cause)
        if (explains.includes(key)) continue
        const share = shareOf(cause, group, names)
        // Beyond the first step only certain explanations continue: of failures at the same time, each precedes some other.
        if (share < minShare || (hop > 0 && share < certainShare)) continue
        const whole = weightOf(cause) * share + share * group.weight
        // An uncertain explanation never outweighs what it explains.
        const weight = share >= certainShare ? whole : Math.min(whole, uncertainShare * group.weight)
        if ((linked.get(key)?.weight ?? 0) >= weight) continue
        const found = { ...cause, nearest: share, weight, share, lead: trouble.first - cause.first }
        linked.set(key, found)
        if (share >= certainShare) further.push({ group: found, explains: [...explains, key] })
      }
    effects = further.slice(0, maxEffects)
  }
  return [...linked.values()].toSorted((a, b) => b.weight - a.weight).slice(0, maxLinked)
}
