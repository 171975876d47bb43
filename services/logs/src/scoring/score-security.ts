import type { StoredEntry } from '../entries/entry.ts'
import { anyOf } from '../search/query.ts'
import { wordsOf } from '../segments/tokens.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { actorsOf } from './actors.ts'
import type { AttackSign } from './attack-sign.ts'
import { timesOf, type WholeFinding } from './finding.ts'
import { happeningsOf, happeningWords } from './happenings.ts'
import { attackSigns, matchSigns, signGroups } from './match-signs.ts'
import { longestLookBack, rateRules } from './rate-rules.ts'
import { newestEntries, readEntries } from './read-entries.ts'
import type { ScoreWhole } from './scorer.ts'
import { signInWords } from './sign-in-wording.ts'
import { createSlowAttempts, slowLookBack } from './slow-attempts.ts'
import { createRateWatch } from './watch-rates.ts'
import { webRequestOf } from './web-request.ts'
import { createWordMarks } from './word-marks.ts'

/** Words of which every entry that any rule is about has one: the others are not read. */
const candidateWords = [...happeningWords, ...attackSigns.flatMap(({ words }) => words)]
const toldWords: ReadonlySet<string> = new Set(happeningWords)
/** So much of a text is looked at by any rule. */
const lookedAt = 4_096
/** The first bit tells of happenings, the others of groups of signs. */
const happeningMark = 1
const signMarks = (marks: number): number => marks >>> 1
const marksOf = createWordMarks([toldWords, ...signGroups])
const marksIn = ({ text }: StoredEntry): number => marksOf(text.slice(0, lookedAt))

/** Entries of one range that are looked at. What is beyond is left: that many candidates in one go are an archive, not what happens. */
const maxCandidates = 1_000_000
/**
 * Of what came before a range the newest are enough: a rule that looks back for hours is about what comes slowly, and a flood is found by
 * those that look back for minutes. Reading all of the hours again in each round would cost more the more there is.
 */
const maxEarlier = 20_000
/** The same sign from the same address after so long a pause is another time. */
const pauseMilliseconds = 3_600_000
const maxAlso = 100
const rateLabels: ReadonlySet<string> = new Set(rateRules.map(({ label }) => label))

type Seen = { finding: WholeFinding; times: { first: number; last: number } }

const noFields = () => null

/** Lines that give an attack away: one finding for all from one address. */
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
      const subject = webRequestOf(entry.text, noFields)?.client ?? actorsOf(entry.text).address ?? ''
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

/** Entries of one address or account that lie further back, and of how many of those they are read at a time. */
const maxBefore = 500
const maxSuspects = 50

/** A quick finding says more than a slow one about the same, and of those by one name the one that tells of most. */
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
  const tellsMost = new Map<string, WholeFinding>()
  for (const finding of findings) {
    const key = repeatKeyOf(finding)
    const known = tellsMost.get(key)
    if (!known || finding.count > known.count || (finding.count === known.count && finding.score > known.score))
      tellsMost.set(key, finding)
  }
  return findings.filter((finding) => {
    if (finding.label.startsWith('slow_')) return !quick.has(finding.subject)
    return !rateLabels.has(finding.label) || tellsMost.get(repeatKeyOf(finding)) === finding
  })
}

/** Finds signs of attacks in single lines, and what is only an attack when it comes often, by address, account and source. */
export const createSecurityScoring =
  (engine: Pick<LogEngine, 'search'>): ScoreWhole =>
  async ({ sourceId, since, until, firstTime }, signal) => {
    const rates = createRateWatch()
    const slow = createSlowAttempts()
    const signs = createSignWatch()
    let entries = 0
    // Matching is dear: rates and signs are only asked about what has one of their own words.
    const addRates = (entry: StoredEntry, found: number) => {
      if ((found & happeningMark) === 0) return
      for (const happening of happeningsOf(entry)) {
        rates.add(happening)
        slow.add(happening)
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
    /** What is slow goes back for days: those few whom it may be about are looked up there. */
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
        for (const happening of happeningsOf(entry))
          if (happening.address === subject || happening.user === subject) slow.add(happening)
      }
    }
    if (since - longestLookBack > firstTime)
      for (const { subject } of slow.suspects(since).slice(0, maxSuspects)) await addBefore(subject)
    // What was over before is known already.
    const findings = [...signs.findings(), ...rates.findings(), ...slow.findings()].filter(
      (finding) => timesOf(finding).last >= since,
    )
    return { findings: withoutRepeats(findings), entries }
  }
