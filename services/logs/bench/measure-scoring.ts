import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { minScore } from '../src/scoring/finding.ts'
import { createSecurityScoring } from '../src/scoring/score-security.ts'
import { wholeRange } from '../src/scoring/source-range.ts'
import type { LabelledLog } from './labelled-faults.ts'
import { withEngine } from './with-engine.ts'

const never = new AbortController().signal

export type SecurityFigure = {
  attacks: number
  found: number
  /** Names of attack cases without a finding. */
  missed: string[]
  plain: number
  plainFound: string[]
  /** Those among them without an attack by our own reading. */
  plainWrong: string[]
  /** Entries of samples without attacks, and the findings there. */
  controls: number
  controlFindings: string[]
  /** Processor microseconds per entry of the controls, including the threads of the engine. */
  microseconds: number
  /** The median, over detected cases, of the share of lines up to the first finding. */
  medianShareOfLines: number
}

/** The name of a case marks it as an attack, or as lines of a parser, which may contain failures. Cases with ambiguous names are omitted. */
const isAttack =
  /(?:^|[-_.])(?:bf|slow|cve|user[-_]?enum|enum|scan|probing|sensitive|crawl|spam|honeypot|exec|traversal|w00twoot|wpconfig|magento|open-proxy|dos|flood|impossible|postexploit|suid|vmsa|non-smtp|refused|exceeded)(?=[-_.]|$)|^cve|bf_|-bf|bruteforce/i
const isPlain = /-logs?\.log$|_json\.log$|whitelist/i

/** Parser cases that contain attacks, by reading them: password guessing, probes, and what other tools call threats. */
const withAttacks: ReadonlySet<string> = new Set(
  'authelia aws-alb bunkerweb calibre-web cef mssql-text postscreen pureftpd qbittorrent radarr stirling-pdf supavisor vaultwarden zoraxy-http'
    .split(' ')
    .map((name) => `${name}-logs.log`)
    .concat('traefik_json.log'),
)

/** Scores ordinary logs: every finding there is a false positive. */
const measureControls = (logs: readonly LabelledLog[]) =>
  withEngine(async (engine) => {
    for (const { name, lines } of logs) {
      const file = await engine.ingestFile({
        source: { sourceId: name, branch: null, tenantId: null },
        reference: Date.now(),
      })
      await file.push(Uint8Array.from(Buffer.from(`${lines.map(({ text }) => text).join('\n')}\n`, 'latin1')))
      await file.end()
    }
    const sources = await engine.sources({})
    const entries = sources.reduce((sum, source) => sum + source.entries, 0)
    const before = process.cpuUsage()
    const controlFindings: string[] = []
    for (const source of sources)
      for (const { score, label } of (await createSecurityScoring(engine)(wholeRange(source), never)).findings)
        if (score >= minScore) controlFindings.push(`${source.sourceId}: ${label}`)
    const { user, system } = process.cpuUsage(before)
    return { controls: entries, controlFindings, microseconds: (user + system) / entries }
  })

/** Runs every case of the CrowdSec hub through the security scorer by itself. */
export const measureSecurity = async (folder: string, controls: readonly LabelledLog[]): Promise<SecurityFigure> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.log')).toSorted()
  const control = await measureControls(controls)
  return withEngine(async (engine) => {
    const found = new Map<string, number>()
    for (const name of names) {
      const content = await readFile(join(folder, name))
      const file = await engine.ingestFile({
        source: { sourceId: name, branch: null, tenantId: null },
        reference: Date.now(),
      })
      await file.push(Uint8Array.from(content))
      await file.end()
    }
    for (const source of await engine.sources({})) {
      const { findings } = await createSecurityScoring(engine)(wholeRange(source), never)
      const first = Math.min(...findings.filter(({ score }) => score >= minScore).map(({ entry }) => entry.sequence))
      if (first !== Number.POSITIVE_INFINITY) {
        const text = await readFile(join(folder, source.sourceId), 'utf8')
        found.set(source.sourceId, first / text.split('\n').filter((line) => line.trim() !== '').length)
      }
    }
    const attacks = names.filter((name) => isAttack.test(name))
    const plain = names.filter((name) => !isAttack.test(name) && isPlain.test(name))
    const shares = attacks.flatMap((name) => found.get(name) ?? []).toSorted((a, b) => a - b)
    return {
      attacks: attacks.length,
      found: attacks.filter((name) => found.has(name)).length,
      missed: attacks.filter((name) => !found.has(name)),
      plain: plain.length,
      plainFound: plain.filter((name) => found.has(name)),
      plainWrong: plain.filter((name) => found.has(name) && !withAttacks.has(name)),
      ...control,
      medianShareOfLines: Math.round((shares[Math.floor(shares.length / 2)] ?? 0) * 100) / 100,
    }
  })
}
