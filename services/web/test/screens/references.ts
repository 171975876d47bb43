/** References of what pages look like: pictures, and the boxes of their layouts. `npm run screens -- --references` makes them again. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import pixelmatch from 'pixelmatch'
import type { Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { type Box, formatBoxes, layoutChanges, parseBoxes, readBoxes } from './boxes.ts'
import type { Look } from './open-view.ts'
import { views } from './views.ts'

/** The share of pixels that may differ from a picture. */
export const maxShare = 0.001

export const looks: readonly Look[] = (['light', 'dark'] as const).flatMap((theme) =>
  ([1280, 360] as const).map((width) => ({ theme, width })),
)
export const comparedViews = views.filter(({ isCompared }) => isCompared)

const folder = new URL('./references/', import.meta.url)
const browserFile = new URL('browser.txt', folder)
const pictureFile = (name: string, { theme, width }: Look) => new URL(`${name}-${theme}-${width}.png`, folder)
const boxesFile = (name: string, { width }: Look) => new URL(`${name}-${width}.txt`, folder)

/** The major version of the browser that made the references: each draws letters and controls a little differently. */
export const referenceBrowser = async (): Promise<string> => (await readFile(browserFile, 'utf8')).trim()

export const writeReferenceBrowser = async (version: string): Promise<void> => {
  await mkdir(folder, { recursive: true })
  await writeFile(browserFile, `${version}\n`)
}

export const capture = (page: Page): Promise<Buffer> =>
  page.screenshot({ animations: 'disabled', caret: 'hide', scale: 'css' })

export const readReference = async (name: string, look: Look) => ({
  picture: await readFile(pictureFile(name, look)),
  boxes: parseBoxes(await readFile(boxesFile(name, look), 'utf8')),
})

/** Writes what a page looks like as the reference. */
export const writeReference = async (name: string, look: Look, page: Page): Promise<void> => {
  const picture = PNG.sync.read(await capture(page))
  await writeFile(pictureFile(name, look), PNG.sync.write(picture, { colorType: 2, deflateLevel: 9 }))
  await writeFile(boxesFile(name, look), formatBoxes(await readBoxes(page)))
}

/** The share of pixels of a picture that differ from the reference, and a picture that shows them, which is made when it is called for. */
export const compare = (reference: Buffer, picture: Buffer): { share: number; difference: () => Buffer } => {
  const [expected, actual] = [PNG.sync.read(reference), PNG.sync.read(picture)]
  const { width, height } = expected
  if (actual.width !== width || actual.height !== height) return { share: 1, difference: () => picture }
  const difference = new PNG({ width, height })
  // The threshold is that of the library: differences below it cannot be seen, and edges of letters are left out.
  const count = pixelmatch(expected.data, actual.data, difference.data, width, height)
  return { share: count / (width * height), difference: () => PNG.sync.write(difference) }
}

export const changesOf = async (page: Page, boxes: readonly Box[]): Promise<string[]> =>
  layoutChanges(boxes, await readBoxes(page))

export const referencesPath = fileURLToPath(folder)
