import type { StoredEntry } from '../entries/entry.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { actorsOf } from './actors.ts'
import type { AttackSign } from './attack-sign.ts'
import type { Finding } from './finding.ts'
import { happeningsOf, happeningWords } from './happenings.ts'
import { attackSigns, matchSigns } from './match-signs.ts'
import { longestLookBack } from './rate-rules.ts'
import { anyOf, readEntries } from './read-entries.ts'
import type { ScoreRange } from './scorer.ts'
import { createRateWatch } from './watch-rates.ts'
import { webRequestOf } from './web-request.ts'

/** Words of which every entry that any rule is about has one: the others are not read. */
const candidateWords = [...happeningWords, ...attackSigns.flatMap(({ words }) => words)]

/** Entries of one range that are looked at. What is beyond is left: that many candidates in one go are an archive, not what happens. */
const mostCandidates = 1_000_000
/** The same sign from the same address after so long a pause is another time. */
const pauseMilliseconds = 3_600_000
const mostAlso = 100

type Seen = { finding: Finding; lastTime: number }

/** Lines that give an attack away: one finding for all from one address. */
const createSignWatch = () => {
  const seen = new Map<string, Seen>()
  const found: Finding[] = []
  const begin = (sign: AttackSign, entry: StoredEntry, subject: string): Finding => ({
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
    add: (entry: StoredEntry) => {
      const signs = matchSigns(entry.text)
      if (signs.length === 0) return
      const subject = webRequestOf(entry.text, null)?.client ?? actorsOf(entry.text).address ?? ''
      for (const sign of signs) {
        const key = `${sign.label}\0${subject}`
        const known = seen.get(key)
        if (known && entry.effectiveTime - known.lastTime <= pauseMilliseconds) {
          known.finding.count++
          known.lastTime = entry.effectiveTime
          if (known.finding.also.length < mostAlso) known.finding.also = [...known.finding.also, entry]
          continue
        }
        const finding = begin(sign, entry, subject)
        found.push(finding)
        seen.set(key, { finding, lastTime: entry.effectiveTime })
      }
    },
    findings: () => found,
  }
}

const lastTimeOf = ({ entry, also }: Finding): number =>
  Math.max(entry.effectiveTime, ...also.map(({ effectiveTime }) => effectiveTime))

/** Finds signs of attacks in single lines, and what is only an attack when it comes often, by address, account and source. */
export const createSecurityScoring =
  (engine: Pick<LogEngine, 'search'>): ScoreRange =>
  async ({ sourceId, since, until }, signal) => {
    const rates = createRateWatch()
    const signs = createSignWatch()
    let entries = 0
    const candidates = readEntries(engine, {
      query: anyOf(candidateWords),
      filters: { source: sourceId, since: since - longestLookBack, until },
      limit: mostCandidates,
      signal,
    })
    for await (const entry of candidates) {
      for (const happening of happeningsOf(entry)) rates.add(happening)
      if (entry.effectiveTime < since) continue
      entries++
      signs.add(entry)
    }
    // What was over before is known already.
    const findings = [...signs.findings(), ...rates.findings()].filter((finding) => lastTimeOf(finding) >= since)
    return { findings, entries }
  }
