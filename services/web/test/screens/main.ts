/** `npm run screens` shows an installation with demo data in a browser, and writes what its pages look like to `docs/screens`. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromiumMissing } from '@trellis/test/support/chromium'
import type { Page } from 'playwright-core'
import { settled } from '../support/accessible.ts'
import { launchBrowser } from '../support/browser.ts'
import { startWithPages } from '../support/served.ts'
import { openMachine } from './machine.ts'
import { seed } from './seed.ts'
import { type View, views } from './views.ts'

const { values: options } = parseArgs({
  options: {
    folder: { type: 'string', default: fileURLToPath(new URL('../../../../docs/screens', import.meta.url)) },
    format: { type: 'string', default: 'webp' },
    only: { type: 'string', default: '' },
    origin: { type: 'string', default: '' },
  },
})
const format = options.format === 'png' ? 'png' : 'webp'
/** From this quality on, text has no visible traces of the compression. */
const quality = 82

const wide = { width: 1280, height: 800 }
const narrow = { width: 360, height: 740 }

const shown = async (page: Page): Promise<void> => {
  await settled(page)
  await page.evaluate('document.fonts.ready')
  await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => undefined)
}

/** WebP, which the library does not offer: a quarter of the size of PNG. */
const capture = async (page: Page): Promise<Buffer> => {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', {
    format,
    ...(format === 'webp' && { quality }),
  })
  await session.detach()
  return Buffer.from(data, 'base64')
}

if (chromiumMissing) throw new Error(`Screenshots need a browser: ${chromiumMissing}.`)
await using opened = new AsyncDisposableStack()
const machine = opened.use(await openMachine())
const origin = options.origin || opened.use(await startWithPages(machine.environment)).origin
const browser = opened.use(await launchBrowser())
/** A server that is there already has keys and folders of its own. */
const seeded = await seed(origin, options.origin ? undefined : machine)
const folder = resolve(options.folder)
if (options.only === '') await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })

const show = async (view: View, theme: 'light' | 'dark', size: typeof wide): Promise<void> => {
  const { page, context } = await browser.open(origin, { colorScheme: theme, viewport: size })
  await page.addInitScript(`sessionStorage.setItem('trellis.admin-key', '${machine.adminKey}')`)
  await page.goto(view.path(seeded))
  await shown(page)
  await view.prepare?.(page)
  await shown(page)
  const name = `${view.name}-${theme}${size === narrow ? '-360' : ''}.${format}`
  await writeFile(join(folder, name), await capture(page))
  process.stderr.write(`${name}\n`)
  await context.close()
}

for (const view of views.filter(({ name }) => name.startsWith(options.only))) {
  for (const theme of ['light', 'dark'] as const) await show(view, theme, wide)
  if (view.narrow) await show(view, 'light', narrow)
}
