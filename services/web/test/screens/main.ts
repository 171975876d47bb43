/**
 * `npm run screens` shows an installation with demo data in a browser, and writes what its pages look like to `docs/screens`. With `--references` it
 * makes the references that `screenshots.test.ts` compares pages with, from recorded answers; with `--record` it first records these again.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromiumMissing } from '@trellis/test/support/chromium'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { startWithPages } from '../support/served.ts'
import { fontsMissing, openFonts } from './fonts.ts'
import { openMachine } from './machine.ts'
import { type Look, openViewAtRest } from './open-view.ts'
import { type Recording, readRecording, record, replay, writeRecording } from './recording.ts'
import { comparedViews, looks, writeReference, writeReferenceBrowser } from './references.ts'
import { seed } from './seed.ts'
import { type View, views } from './views.ts'

const { values: options } = parseArgs({
  options: {
    folder: { type: 'string', default: fileURLToPath(new URL('../../../../docs/screens', import.meta.url)) },
    format: { type: 'string', default: 'webp' },
    only: { type: 'string', default: '' },
    origin: { type: 'string', default: '' },
    references: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
})
const format = options.format === 'png' ? 'png' : 'webp'
/** From this quality on, text has no visible traces of the compression. */
const quality = 82

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

const reasons = [chromiumMissing, options.references || options.record ? fontsMissing : ''].filter(Boolean)
if (reasons.length > 0) throw new Error(`Screenshots cannot be made: ${reasons.join('; ')}.`)
await using opened = new AsyncDisposableStack()
/** Time in which all views are recorded. */
const recordingMilliseconds = 120_000
const isChosen = ({ name }: View) => name.startsWith(options.only)

/** Answers of an installation with demo data, to all requests of the compared views. */
const recordAnswers = async (): Promise<Recording> => {
  await using stack = new AsyncDisposableStack()
  const { environment, ...machine } = stack.use(await openMachine())
  const { origin } = stack.use(await startWithPages(environment))
  const seeded = await seed(origin, machine)
  const browser = stack.use(await launchBrowser())
  // Later than anything that is recorded, so that nothing is in the future.
  const at = new Date(Date.now() + recordingMilliseconds).toISOString()
  const recording = { at, seeded, answers: {} }
  // Requests depend on the width of a page, and not on its theme.
  for (const view of comparedViews)
    for (const look of looks.filter(({ theme }) => theme === 'light')) {
      const { context } = await openViewAtRest({ browser, origin, seeded }, view, look, (page) =>
        record(page, recording),
      )
      await context.close()
      process.stderr.write(`${view.name} recorded\n`)
    }
  return recording
}

const makeReferences = async (recording: Recording): Promise<void> => {
  const { environment } = opened.use(await openFonts())
  const browser = opened.use(await launchBrowser(environment))
  const { origin } = opened.use(await startWithPages())
  await writeReferenceBrowser(browser.majorVersion)
  for (const view of comparedViews.filter(isChosen))
    for (const look of looks) {
      let unknown = (): string[] => []
      const { page, context } = await openViewAtRest(
        { browser, origin, seeded: recording.seeded },
        view,
        look,
        async (page) => {
          unknown = await replay(page, recording)
        },
      )
      if (unknown().length > 0) throw new Error(`Not recorded, use --record: ${unknown().join(', ')}`)
      await writeReference(view.name, look, page)
      process.stderr.write(`${view.name} ${look.theme} ${look.width}\n`)
      await context.close()
    }
}

const makeScreens = async (): Promise<void> => {
  const machine = opened.use(await openMachine())
  const origin = options.origin || opened.use(await startWithPages(machine.environment)).origin
  const browser = opened.use(await launchBrowser())
  /** A server that is there already has keys and folders of its own. */
  const seeded = await seed(origin, options.origin ? undefined : machine)
  const folder = resolve(options.folder)
  if (options.only === '') await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const show = async (view: View, look: Look): Promise<void> => {
    const { page, context } = await openViewAtRest({ browser, origin, seeded }, view, look)
    const name = `${view.name}-${look.theme}${look.width === 360 ? '-360' : ''}.${format}`
    await writeFile(join(folder, name), await capture(page))
    process.stderr.write(`${name}\n`)
    await context.close()
  }
  for (const view of views.filter(isChosen)) {
    for (const theme of ['light', 'dark'] as const) await show(view, { theme, width: 1280 })
    if (view.narrow) await show(view, { theme: 'light', width: 360 })
  }
}

if (options.record) await writeRecording(await recordAnswers())
if (options.record || options.references) await makeReferences(await readRecording())
else await makeScreens()
