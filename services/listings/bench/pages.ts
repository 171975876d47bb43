import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { type Completeness, completenessOf } from '../src/marketplace/completeness.ts'
import { readSearchPage } from '../src/marketplace/search-page.ts'

/** Speed and completeness of reading result pages. Times in milliseconds of one core, after a warm-up. */
export type PageFigures = {
  readonly pages: number
  readonly millisecondsPerPage: number
  readonly pagesPerSecond: number
  readonly cardsPerSecond: number
  readonly completeness: Completeness
}

const context = { pageUrl: 'http://127.0.0.1/sch/i.html', observedAt: new Date(), defaultCurrency: 'USD' }

/** The markup of saved pages, gzipped or not. */
export const loadPages = (files: readonly string[]): readonly string[] =>
  files.map((file) => (file.endsWith('.gz') ? gunzipSync(readFileSync(file)).toString() : readFileSync(file, 'utf8')))

/** Reads each page `rounds` times, after a third as many warm-up rounds. */
export const measurePages = (pages: readonly string[], rounds = 30): PageFigures => {
  const readAll = () => pages.map((html) => readSearchPage(html, context))
  for (let warmUp = 0; warmUp < rounds / 3; warmUp++) readAll()
  const started = performance.now()
  for (let round = 0; round < rounds; round++) readAll()
  const millisecondsPerPage = (performance.now() - started) / rounds / pages.length
  const cards = readAll().flatMap((page) => (page.kind === 'results' ? [...page.cards, ...page.fewerWords] : []))
  return {
    pages: pages.length,
    millisecondsPerPage,
    pagesPerSecond: 1000 / millisecondsPerPage,
    cardsPerSecond: (cards.length / pages.length / millisecondsPerPage) * 1000,
    completeness: completenessOf(cards),
  }
}
