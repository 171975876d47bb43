/** The layout of a page: where its landmarks, headings and controls are, in pixels from its upper left corner. */
import type { Page } from 'playwright-core'

export type Box = { what: string; x: number; y: number; width: number; height: number }

/** How far a box may be from its reference, in pixels: versions of the browser round differently. */
export const maxOffset = 2

/** Evaluated in the page. */
const read = `
  [...document.querySelectorAll('header, nav, main, aside, section, h1, h2, h3, a, button, input, select, textarea, summary, table, canvas, img, svg[role=img], [role=row], [role=treeitem]')]
    .flatMap((element) => {
      const { x, y, width, height } = element.getBoundingClientRect()
      if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || width <= 1 || height <= 1) return []
      const text = (element.getAttribute('aria-label') ?? element.textContent).replaceAll(/\\s+/g, ' ').trim().slice(0, 40)
      const round = (value) => Math.round(value)
      return [{ what: [element.getAttribute('role') ?? element.localName, text].join(' ').trim(), x: round(x + scrollX), y: round(y + scrollY), width: round(width), height: round(height) }]
    })
`

export const readBoxes = async (page: Page): Promise<Box[]> =>
  JSON.parse(await page.evaluate(`JSON.stringify(${read})`)) as Box[]

const numbersOf = ({ x, y, width, height }: Box): number[] => [x, y, width, height]

/** A line per box: \`button Search 612 96 80 34\`. */
export const formatBoxes = (boxes: readonly Box[]): string =>
  `${boxes.map((box) => [box.what, ...numbersOf(box)].join(' ')).join('\n')}\n`

export const parseBoxes = (text: string): Box[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const words = line.split(' ')
      const [x = 0, y = 0, width = 0, height = 0] = words.splice(-4).map(Number)
      return { what: words.join(' '), x, y, width, height }
    })

/** The boxes of `boxes` that `others` lacks, each as often as it is missing. */
const missingFrom = (boxes: readonly Box[], others: readonly Box[]): string[] => {
  const left = others.map(({ what }) => what)
  return boxes.flatMap(({ what }) => {
    const index = left.indexOf(what)
    if (index < 0) return [what]
    left.splice(index, 1)
    return []
  })
}

/** How a layout differs from its reference, a line per box; nothing if it is the same. */
export const layoutChanges = (reference: readonly Box[], boxes: readonly Box[]): string[] => {
  const gone = missingFrom(reference, boxes).map((what) => `gone: ${what}`)
  const added = missingFrom(boxes, reference).map((what) => `new: ${what}`)
  if (gone.length + added.length > 0) return [...gone, ...added]
  return reference.flatMap((expected, index) => {
    const box = boxes[index]
    if (!box || box.what !== expected.what) return [`in another order: ${expected.what}`]
    const [from, to] = [numbersOf(expected), numbersOf(box)]
    const isMoved = from.some((value, axis) => Math.abs(value - (to[axis] ?? 0)) > maxOffset)
    return isMoved ? [`moved: ${expected.what}, from ${from.join(' ')} to ${to.join(' ')}`] : []
  })
}
