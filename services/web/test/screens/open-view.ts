import type { Page } from 'playwright-core'
import { settled } from '../support/accessible.ts'
import type { Opened, TestBrowser } from '../support/browser.ts'
import type { Seeded } from './seed.ts'
import type { View } from './views.ts'

const heights = { 360: 740, 1280: 800 } as const

/** How a view is shown: a theme, and the width of a phone or of a desktop screen in pixels. */
export type Look = { theme: 'light' | 'dark'; width: keyof typeof heights }

/** The admin key of the installations that are shown. */
export const adminKey = 'of-the-screens'

const shown = async (page: Page): Promise<void> => {
  await settled(page)
  await page.evaluate('document.fonts.ready')
}

type Installation = { browser: TestBrowser; origin: string; seeded: Seeded }

/** Opens a view and waits until it shows what it loads first. `arrange` changes the page before it loads. */
export const openView = async (
  { browser, origin, seeded }: Installation,
  view: View,
  { theme, width }: Look,
  arrange?: (page: Page) => Promise<void>,
): Promise<Opened> => {
  const opened = await browser.open(origin, { colorScheme: theme, viewport: { width, height: heights[width] } })
  const { page } = opened
  await page.addInitScript(`sessionStorage.setItem('trellis.admin-key', '${adminKey}')`)
  await arrange?.(page)
  await page.goto(view.path(seeded))
  await shown(page)
  await view.prepare?.(page)
  await shown(page)
  return opened
}

/** Opens a view and waits until it requests nothing more, for pictures that are kept. Pages with a stream always request, so that they take seconds. */
export const openViewAtRest = async (...parameters: Parameters<typeof openView>): Promise<Opened> => {
  const opened = await openView(...parameters)
  await opened.page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => undefined)
  return opened
}
