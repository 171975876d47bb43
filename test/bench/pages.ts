import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { loadPages, measurePages } from '../../services/listings/bench/pages.ts'
import { startDemoMarketplace } from '../../services/listings/src/marketplace/demo/server.ts'
import { sharedData } from '../support/shared-data.ts'
import { round } from './machine.ts'

const savedPages = (): readonly string[] | undefined => {
  const folder = sharedData('marketplace')
  const names = folder ? readdirSync(folder).filter((name) => /^(active|auctions|sold)-.*\.html\.gz$/.test(name)) : []
  return folder && names.length > 0 ? loadPages(names.map((name) => join(folder, name))) : undefined
}

const demoPages = async (): Promise<readonly string[]> => {
  const demo = await startDemoMarketplace()
  const paths = ['_nkw=camera', '_nkw=guitar', '_nkw=watch&LH_Sold=1&LH_Complete=1', '_nkw=lens&_pgn=2']
  const pages = await Promise.all(paths.map(async (query) => (await fetch(`${demo.url}/sch/i.html?${query}`)).text()))
  await demo.close()
  return pages
}

/** Measures result pages parsed per second, and the completeness of their cards. */
export const benchPages = async (): Promise<string[]> => {
  const saved = savedPages()
  const pages = saved ?? (await demoPages())
  const { millisecondsPerPage, pagesPerSecond, cardsPerSecond, completeness } = measurePages(pages)
  const bytes = pages.reduce((sum, page) => sum + page.length, 0) / pages.length
  return [
    `${pages.length} ${saved ? 'saved pages' : 'pages of the demo (no saved pages beside the checkout)'} of ${round(bytes / 1_000)} kB on average, one core, warm:`,
    `  ${round(pagesPerSecond, 1)} pages/s, ${round(millisecondsPerPage, 1)} ms a page (target: at most 20), ${round(cardsPerSecond)} cards/s`,
    `  ${JSON.stringify(completeness)}`,
  ]
}
