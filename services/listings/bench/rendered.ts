import { readdirSync, readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { type ChromiumOptions, launchChromium } from '../src/marketplace/browser/launch.ts'
import { createPages } from '../src/marketplace/browser/pages.ts'
import { createRender } from '../src/marketplace/browser/render.ts'
import { startDemoMarketplace } from '../src/marketplace/demo/server.ts'
import type { FetchPage } from '../src/marketplace/scraper/fetch-page.ts'
import { createPoliteFetch } from '../src/marketplace/scraper/polite.ts'

/** Cost of pages over HTTP and in a browser. */
export type RenderFigures = {
  readonly httpPagesPerSecond: number
  /** Pages per second, by the number of pages rendered at once. */
  readonly shownPagesPerSecond: Readonly<Record<number, number>>
  /** From the first request for a page until it is rendered, including the start of the browser. */
  readonly firstPageMilliseconds: number
  /** Memory of all processes of the browser (proportional, so that shared pages count once), in MiB. */
  readonly memoryMebibytes: { readonly idle: number; readonly max: number }
}

const { signal } = new AbortController()
const userAgent = 'TrellisBench/0.1'

/** All descendants of a process, by the parent ids in /proc. */
const childrenOf = (parent: number): readonly number[] => {
  const children = readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] === String(parent) ? [Number(name)] : []
    } catch {
      return []
    }
  })
  return children.flatMap((child) => [child, ...childrenOf(child)])
}

const mebibytesOf = (pid: number): number => {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
const memory = (): number => Math.round(childrenOf(process.pid).reduce((sum, pid) => sum + mebibytesOf(pid), 0))

/** Fetches `count` distinct result pages, `atOnce` at a time; returns pages per second. */
const rateOf = async (fetchPage: FetchPage, url: string, count: number, atOnce: number, from: number) => {
  const started = performance.now()
  let next = 0
  const lane = async () => {
    while (next < count) {
      const page = await fetchPage(`${url}/sch/i.html?_nkw=camera&_ipg=60&bench=${from + next++}`, signal)
      if (!page?.includes('s-card')) throw new Error('The page came without its cards.')
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return (count / (performance.now() - started)) * 1000
}

/** Measures pages of 60 results of the demo marketplace: plain pages over HTTP, and script-generated pages in a browser. */
export const measureRendering = async (chromium: ChromiumOptions, count = 60): Promise<RenderFigures> => {
  const [plain, scripted] = [await startDemoMarketplace(), await startDemoMarketplace({ isScripted: true })]
  const browsers: Browser[] = []
  await using pages = createPages({
    launch: async () => {
      const browser = await launchChromium(chromium)
      browsers.push(browser)
      return browser
    },
    userAgent,
    maxOpen: 3,
    maxPerBrowser: 1_000,
    idleMilliseconds: 600_000,
  })
  const render = createRender({
    pages,
    timeoutMilliseconds: 60_000,
    maxRequests: 40,
    maxCharacters: 2 ** 23,
    maxElements: 200_000,
  })
  const http = createPoliteFetch({ userAgent, mayBePrivate: () => true, gapMilliseconds: 0 })
  const shown = createPoliteFetch({
    userAgent,
    mayBePrivate: () => true,
    gapMilliseconds: 0,
    rendering: { pages: 'needed', render },
  })
  try {
    const started = performance.now()
    await rateOf(shown, scripted.url, 1, 1, 0)
    const firstPageMilliseconds = Math.round(performance.now() - started)
    const idle = memory()
    let max = 0
    const watching = setInterval(() => {
      max = Math.max(max, memory())
    }, 250)
    const shownPagesPerSecond: Record<number, number> = {}
    for (const atOnce of [1, 3]) {
      shownPagesPerSecond[atOnce] = await rateOf(shown, scripted.url, count, atOnce, atOnce * 10_000)
    }
    clearInterval(watching)
    const httpPagesPerSecond = await rateOf(http, plain.url, count, 3, 0)
    return { httpPagesPerSecond, shownPagesPerSecond, firstPageMilliseconds, memoryMebibytes: { idle, max } }
  } finally {
    await Promise.all([plain.close(), scripted.close()])
  }
}

if (import.meta.main) {
  const [executable = '/usr/bin/chromium-headless-shell', count = '60'] = process.argv.slice(2)
  const hasSandbox = process.getuid?.() !== 0
  process.stdout.write(
    `${JSON.stringify(await measureRendering({ executable, hasSandbox }, Number(count)), undefined, 2)}\n`,
  )
}
