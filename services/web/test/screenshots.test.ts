import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readDrawnSeconds } from '@trellis/test/run/drawn-files'
import { runSeed, sample } from '@trellis/test/support/exploration'
import type { Trellis } from '@trellis/test/support/trellis'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fontsMissing, openFonts } from './screens/fonts.ts'
import { type Look, openView } from './screens/open-view.ts'
import { type Recording, readRecording, replay } from './screens/recording.ts'
import {
  capture,
  changesOf,
  compare,
  comparedViews,
  looks,
  maxShare,
  readReference,
  referenceBrowser,
} from './screens/references.ts'
import type { View } from './screens/views.ts'
import { browserVersion, hasBrowser, launchBrowser, skipped, type TestBrowser } from './support/browser.ts'
import { startWithPages } from './support/served.ts'

const canRun = hasBrowser && fontsMissing === ''
const reason = skipped || (fontsMissing && ` (skipped: ${fontsMissing})`)
const madeBy = await referenceBrowser()
const version = canRun ? await browserVersion() : madeBy
const hasPictures = version === madeBy
const noPictures = hasPictures ? '' : ` (skipped: they are of Chromium ${madeBy}, and this is ${version})`

/** A run that leaves out no test file compares every look of a page, others a look that is drawn. */
const comparesAll = readDrawnSeconds().offCluster === Number.POSITIVE_INFINITY

/** Time in which a page that has loaded comes to rest. Not the usual limit, because a change of all pages fails all tests. */
const settleMilliseconds = 20_000

/** Writes a picture that differs from its reference, and what differs; returns the folder. */
const store = async (name: string, pictures: Record<string, Buffer>): Promise<string> => {
  const folder = join(tmpdir(), 'trellis-screenshots')
  await mkdir(folder, { recursive: true })
  for (const [kind, picture] of Object.entries(pictures)) await writeFile(join(folder, `${name}-${kind}.png`), picture)
  return folder
}

describe.skipIf(!canRun)(`pages as in their references${reason}`, () => {
  let opened: AsyncDisposableStack
  let trellis: Trellis
  let browser: TestBrowser
  let recording: Recording
  beforeAll(async () => {
    opened = new AsyncDisposableStack()
    trellis = opened.use(await startWithPages({}, { form: 'embedded' }))
    const { environment } = opened.use(await openFonts())
    browser = opened.use(await launchBrowser(environment))
    recording = await readRecording()
  })
  afterAll(() => opened.disposeAsync())

  /** Opens a view with the recorded answers. Its page and the requests that have none. */
  const open = async (view: View, look: Look) => {
    let unknown = (): string[] => []
    const { origin } = trellis
    const { page, context } = await openView(
      { browser, origin, seeded: recording.seeded },
      view,
      look,
      async (page) => {
        unknown = await replay(page, recording)
      },
    )
    return { page, context, unknown }
  }
  const shareOf = async (page: Page, name: string, picture: Buffer): Promise<string> => {
    const taken = await capture(page)
    const { share, difference } = compare(picture, taken)
    if (share <= maxShare) return 'the same'
    const folder = await store(name, { actual: taken, difference: difference() })
    return `${(share * 100).toFixed(2)} % of the pixels differ, see ${folder}`
  }

  test.each(comparedViews)(
    `$name has the layout of its reference, and its picture in the browser that made it (TEST_SEED=${runSeed})`,
    async (view) => {
      for (const look of comparesAll ? looks : sample(looks, 1, `look of ${view.name}`)) {
        const { page, context, unknown } = await open(view, look)
        const name = `${view.name}-${look.theme}-${look.width}`
        const { boxes, picture } = await readReference(view.name, look)
        const settling = { message: name, timeout: settleMilliseconds }
        const differences = async () => [...unknown(), ...(await changesOf(page, boxes))]
        await expect.poll(differences, settling).toEqual([])
        if (hasPictures) await expect.poll(() => shareOf(page, name, picture), settling).toBe('the same')
        expect(unknown(), `${name}: requests without a recorded answer; npm run screens -- --record`).toEqual([])
        await context.close()
      }
    },
  )

  const saved = comparedViews.find(({ name }) => name === 'listings-saved')
  const wide: Look = { theme: 'light', width: 1280 }

  test('what moves by some pixels, and what is missing, differs from the layout', async () => {
    if (!saved) throw new Error('There is no view of saved searches.')
    const { page, context } = await open(saved, wide)
    const { boxes } = await readReference(saved.name, wide)
    await expect.poll(() => changesOf(page, boxes)).toEqual([])
    await page.evaluate(`document.querySelector('main ul').style.marginBlockStart = '20px'`)
    expect(await changesOf(page, boxes)).toContainEqual(expect.stringMatching(/^moved: button Run/))
    await page.evaluate(`document.querySelector('main ul li').style.display = 'none'`)
    expect(await changesOf(page, boxes)).toContainEqual(expect.stringMatching(/^gone: /))
    await context.close()
  })

  test.skipIf(!hasPictures)(`a colour that changes differs from the picture${noPictures}`, async () => {
    if (!saved) throw new Error('There is no view of saved searches.')
    const { page, context } = await open(saved, wide)
    const { picture } = await readReference(saved.name, wide)
    const share = async () => compare(picture, await capture(page)).share
    await expect.poll(share).toBeLessThanOrEqual(maxShare)
    await page.evaluate(`document.documentElement.style.setProperty('--accent', '#8a1265')`)
    expect(await share()).toBeGreaterThan(maxShare)
    await context.close()
  })
})
