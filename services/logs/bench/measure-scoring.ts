import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { createMemoryBus } from '@trellis/kit/bus'
import { readConfig } from '@trellis/kit/config'
import { openStore } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { logsConfig } from '../src/config.ts'
import { openEngine } from '../src/open-engine.ts'
import { leastScore } from '../src/scoring/finding.ts'
import { createAnomalyScoring } from '../src/scoring/score-anomalies.ts'
import { createSecurityScoring } from '../src/scoring/score-security.ts'
import { wholeRange } from '../src/scoring/source-range.ts'
import { logsMigrations } from '../src/service.ts'

const never = new AbortController().signal

export const withEngine = async <Value>(
  work: (engine: Awaited<ReturnType<typeof openEngine>>['engine']) => Promise<Value>,
) => {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-bench-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const store = await openStore<never>({ name: 'logs', dataDirectory: directory, migrations: logsMigrations })
  stack.defer(() => store.close())
  const bus = stack.use(createMemoryBus())
  const opened = await openEngine(
    { config: readConfig(logsConfig, {}), dataDirectory: directory, bus, log: silentLog },
    store as never,
  )
  stack.use(opened)
  return await work(opened.engine)
}

export type AnomalyFigure = {
  alerts: number
  flagged: number
  hit: number
  milliseconds: number
  labels: Record<string, number>
}

/**
 * Entries that the anomaly scorer flags among those of a BGL sample, and how many of them carry an alert in its first column, which is taken away
 * before anything is read.
 */
export const measureAnomalies = async (sample: string): Promise<AnomalyFigure> => {
  const lines = gunzipSync(await readFile(sample))
    .toString('utf8')
    .split(/\r?\n/)
    .filter((line) => line !== '')
  const isAlert = new Map(lines.map((line) => [line.slice(line.indexOf(' ') + 1), !line.startsWith('- ')]))
  return withEngine(async (engine) => {
    const file = await engine.ingestFile({
      source: { sourceId: 'bgl', branch: null, tenantId: null },
      reference: Date.now(),
    })
    await file.push(Uint8Array.from(Buffer.from(`${[...isAlert.keys()].join('\n')}\n`)))
    await file.end()
    const [source] = await engine.sources({})
    if (!source) throw new Error('Nothing was read of the sample.')
    const began = performance.now()
    const { findings } = await createAnomalyScoring(engine)(wholeRange(source), never)
    const milliseconds = performance.now() - began
    const flagged = new Map(
      findings
        .filter(({ score }) => score >= leastScore)
        .flatMap(({ entry, also }) => [entry, ...also].map(({ entryId, text }) => [entryId, text])),
    )
    const labels: Record<string, number> = {}
    for (const { label } of findings) labels[label] = (labels[label] ?? 0) + 1
    return {
      alerts: [...isAlert.values()].filter(Boolean).length,
      flagged: flagged.size,
      hit: [...flagged.values()].filter((text) => isAlert.get(text)).length,
      milliseconds: Math.round(milliseconds),
      labels,
    }
  })
}

export type SecurityFigure = {
  attacks: number
  found: number
  /** Names of attack cases of which nothing was found. */
  missed: string[]
  plain: number
  plainFound: string[]
  /** Lines of a case up to the one that shows its first finding, as a share of all; the median over those found. */
  medianShareOfLines: number
}

/** By its name a case is an attack, or the lines of a parser, which may hold failures, too. Some names tell neither: they are left out. */
const isAttack =
  /(?:^|[-_.])(?:bf|slow|cve|user[-_]?enum|enum|scan|probing|sensitive|crawl|spam|honeypot|exec|traversal|w00twoot|wpconfig|magento|open-proxy|dos|flood|impossible|postexploit|suid|vmsa|non-smtp|refused|exceeded)(?=[-_.]|$)|^cve|bf_|-bf|bruteforce/i
const isPlain = /-logs?\.log$|_json\.log$|whitelist/i

/** Runs every case of the CrowdSec hub through the security scorer by itself. */
export const measureSecurity = async (folder: string): Promise<SecurityFigure> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.log')).toSorted()
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
      const first = Math.min(...findings.filter(({ score }) => score >= leastScore).map(({ entry }) => entry.sequence))
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
      medianShareOfLines: Math.round((shares[Math.floor(shares.length / 2)] ?? 0) * 100) / 100,
    }
  })
}
