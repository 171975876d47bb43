import type { StoredEntry } from '../entries/entry.ts'
import { anyOf } from '../search/query.ts'
import { wordsOf } from '../segments/tokens.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { actorsOf } from './actors.ts'
import type { AttackSign } from './attack-sign.ts'
import { timesOf, type WholeFinding } from './finding.ts'
import { attackSigns, matchSigns, signGroups } from './match-signs.ts'
import { longestLookBack, rateRules } from './rate-rules.ts'
import { newestEntries, readEntries } from './read-entries.ts'
import { requestFieldsOf } from './request-fields.ts'
import type { ScoreWhole } from './scorer.ts'
import { securityEventsOf, securityEventWords } from './security-events.ts'
import { signInWords } from './sign-in-wording.ts'
import { createSlowAttempts, slowLookBack } from './slow-attempts.ts'
import { createRateWatch } from './watch-rates.ts'
import { webRequestOf } from './web-request.ts'
import { createWordMarks } from './word-marks.ts'

/** Every entry that matches any rule contains one of these words; other entries are not read. */
const candidateWords = [...securityEventWords, ...attackSigns.flatMap(({ words }) => words)]
const countedWords: ReadonlySet<string> = new Set(securityEventWords)
/** Characters of a text that the rules examine. */
const lookedAt = 4_096
/** The first bit marks events, the others mark groups of signs. */
const eventMark = 1
const signMarks = (marks: number): number => marks >>> 1
const marksOf = createWordMarks([countedWords, ...signGroups])
const marksIn = ({ text }: StoredEntry): number => marksOf(text.slice(0, lookedAt))

/** Maximum number of candidate entries examined in one range. More candidates at once are an archive, not current activity. */
const maxCandidates = 1_000_000
/**
 * Maximum number of entries before a range that are read, the newest ones. These suffice: rules that look back for hours detect slow activity, and
 * those that look back for minutes detect floods. Reading all entries of these hours in each round would become more expensive with their number.
 */
const maxEarlier = 20_000
/** After a longer pause, the same sign from the same address is a new finding. */
const pauseMilliseconds = 3_600_000
const maxAlso = 100
const rateLabels: ReadonlySet<string> = new Set(rateRules.map(({ label }) => label))

type Seen = { finding: WholeFinding; times: { first: number; last: number } }

/** Finds signs of attacks in single lines; one finding for all lines from one address. */
const createSignWatch = () => {
  const seen = new Map<string, Seen>()
  const found: WholeFinding[] = []
  const begin = (sign: AttackSign, entry: StoredEntry, subject: string): WholeFinding => ({
    scorer: 'cybersec',
    label: sign.label,
    score: sign.score,
    severity: sign.severity,
    subject,
    reason: `${sign.description}.`,
    entry,
    also: [],
    count: 1,
  })
  return {
    add: (entry: StoredEntry, groups: number) => {
      const signs = matchSigns(entry.text, groups)
      if (signs.length === 0) return
      const subject =
        webRequestOf(entry.text, () => requestFieldsOf(entry))?.client ?? actorsOf(entry.text).address ?? ''
      for (const sign of signs) {
        const key = `${sign.label}\0${subject}`
        const known = seen.get(key)
        if (known && entry.effectiveTime - known.times.last <= pauseMilliseconds) {
          known.finding.count++
          known.times.last = entry.effectiveTime
          if (known.finding.also.length < maxAlso) known.finding.also = [...known.finding.also, entry]
          continue
        }
        const times = { first: entry.effectiveTime, last: entry.effectiveTime }
        const finding = { ...begin(sign, entry, subject), times }
        found.push(finding)
        seen.set(key, { finding, times })
      }
    },
    findings: () => found,
  }
}

/** Maximum number of older entries read per address or account, and of addresses and accounts for which they are read. */
const maxBefore = 500
const maxSuspects = 50

/** A fast finding supersedes a slow one about the same subject, and of findings with the same label the one with the most entries remains. */
const quickLabels: ReadonlySet<string> = new Set([
  'brute_force',
  'user_enumeration',
  'distributed_brute_force',
  'default_account_probe',
])
const repeatKeyOf = ({ label, subject, entry }: WholeFinding): string =>
  `${label}\0${subject}\0${Math.floor(entry.effectiveTime / pauseMilliseconds)}`
const withoutRepeats = (findings: readonly WholeFinding[]): WholeFinding[] => {
  const quick = new Set(findings.filter(({ label }) => quickLabels.has(label)).map(({ subject }) => subject))
  const strongest = new Map<string, WholeFinding>()
  for (const finding of findings) {
    const key = repeatKeyOf(finding)
    const known = strongest.get(key)
    if (!known || finding.count > known.count || (finding.count === known.count && finding.score > known.score))
      strongest.set(key, finding)
  }
  return findings.filter((finding) => {
    if (finding.label.startsWith('slow_')) return !quick.has(finding.subject)
    return !rateLabels.has(finding.label) || strongest.get(repeatKeyOf(finding)) === finding
  })
}

/** Finds signs of attacks in single lines, and attacks by the rate of events per address, account and source. */
export const createSecurityScoring =
  (engine: Pick<LogEngine, 'search'>): ScoreWhole =>
  async ({ sourceId, since, until, firstTime }, signal) => {
    const rates = createRateWatch()
    const slow = createSlowAttempts()
    const signs = createSignWatch()
    let entries = 0
    // Matching is expensive: rates and signs only receive entries with one of their own words.
    const addRates = (entry: StoredEntry, found: number) => {
      if ((found & eventMark) === 0) return
      for (const event of securityEventsOf(entry)) {
        rates.add(event)
        slow.add(event)
      }
    }
    const query = anyOf(candidateWords)
    const earlier = { source: sourceId, since: since - longestLookBack, until: since }
    for (const entry of await newestEntries(engine, { query, filters: earlier, limit: maxEarlier, signal })) {
      addRates(entry, marksIn(entry))
    }
    const filters = { source: sourceId, since, until }
    for await (const entry of readEntries(engine, { query, filters, limit: maxCandidates, signal })) {
      const found = marksIn(entry)
      addRates(entry, found)
      entries++
      if (signMarks(found) !== 0) signs.add(entry, signMarks(found))
    }
    const lookedUp = new Set<string>()
    /** Slow attempts span days: the older entries of the few suspects are read separately. */
    const addBefore = async (subject: string) => {
      const words = wordsOf(subject)
      if (words.length === 0) return
      const before = await newestEntries(engine, {
        query: {
          clauses: [[{ words, isPrefix: false }], ...anyOf(signInWords).clauses],
          excluded: [],
        },
        filters: { source: sourceId, since: since - slowLookBack, until: since - longestLookBack },
        limit: maxBefore,
        signal,
      })
      for (const entry of before) {
        if (lookedUp.has(entry.entryId)) continue
        lookedUp.add(entry.entryId)
        for (const event of securityEventsOf(entry))
          if (event.address === subject || event.user === subject) slow.add(event)
      }
    }
    if (since - longestLookBack > firstTime)
      for (const { subject } of slow.suspects(since).slice(0, maxSuspects)) await addBefore(subject)
    // Findings that ended before the range are already stored.
    const findings = [...signs.findings(), ...rates.findings(), ...slow.findings()].filter(
      (finding) => timesOf(finding).last >= since,
    )
    return { findings: withoutRepeats(findings), entries }
  }
