import type { Cloud } from '@trellis/test/support/cloud'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { settled, violationsInThemes } from '../support/accessible.ts'
import { hasBrowser, launchBrowser, skipped, type TestBrowser } from '../support/browser.ts'
import { startCloudWithPages } from '../support/served.ts'

const signIn = 'https://sign-in.test/start'
const phone = { width: 360, height: 740 }

/** Waits for what a search has found. */
const search = async (page: Page): Promise<void> => {
  await page.goto('/listings?q=camera')
  await page.getByText(/\d+ results/).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' })
}
const isBlocked = async (button: Locator) => (await button.getAttribute('aria-disabled')) === 'true'
const widthOf = async (page: Page) => Number(await page.evaluate('document.documentElement.scrollWidth'))

describe.skipIf(!hasBrowser)(`tiers in a browser${skipped}`, () => {
  let opened: AsyncDisposableStack
  let cloud: Cloud
  let browser: TestBrowser
  beforeAll(async () => {
    opened = new AsyncDisposableStack()
    cloud = opened.use(await startCloudWithPages({ SIGN_IN_URL: signIn }))
    browser = opened.use(await launchBrowser())
  })
  afterAll(() => opened.disposeAsync())

  /** Opens a browser in which an account of a tier is signed in. */
  const openAs = async (tier: 'free' | 'paid' | 'premium') => {
    const session = await browser.open(cloud.trellis.origin)
    const value = (await cloud.user(tier))['x-gateway-session'] ?? ''
    await session.context.addCookies([{ name: 'gateway_session', value, url: cloud.trellis.origin }])
    return session
  }

  test('a guest searches, and is told what needs an account and where to sign in, also on a phone', async () => {
    const { page, context, problems } = await browser.open(cloud.trellis.origin, { viewport: phone })
    const refused: string[] = []
    page.on('response', (answer) => {
      if (answer.status() === 402 || answer.status() === 403) refused.push(answer.url())
    })
    await search(page)
    await page.getByText('Sign in to block sellers: guests may not.').waitFor()
    expect(await page.getByRole('link', { name: 'Sign in' }).first().getAttribute('href')).toBe(signIn)
    const block = page.getByRole('list', { name: 'Listings' }).getByRole('button', { name: 'Block seller' }).first()
    expect(await isBlocked(block)).toBe(true)
    // A title is not seen on a phone: the reason is shown when the button is pressed.
    await block.click({ force: true })
    await page.locator('.toast').getByText('Sign in to block sellers: guests may not.').waitFor()
    expect(await violationsInThemes(page)).toEqual([])
    for (const [path, sentence] of [
      ['/listings/alerts', 'Sign in to create a feed: guests may not.'],
      ['/listings/blocklist', 'Sign in to change the blocklist: guests may only import, for themselves.'],
      ['/listings/settings', 'You are a guest of this browser.'],
      ['/music', 'Sign in to continue a piece: it belongs to an account.'],
      ['/home', 'Sign in to continue a piece: it belongs to an account.'],
    ] as const) {
      await page.goto(path)
      await settled(page)
      await page.getByText(sentence).waitFor()
      const links = await page.getByRole('main').getByRole('link', { name: 'Sign in' }).all()
      const targets = await Promise.all(links.map((link) => link.getAttribute('href')))
      expect(new Set(targets), path).toEqual(new Set([signIn]))
      expect(await widthOf(page), path).toBe(phone.width)
      expect(await violationsInThemes(page), path).toEqual([])
    }
    expect(await isBlocked(page.getByRole('button', { name: 'Continue an example tune' }))).toBe(true)
    expect(refused).toEqual([])
    expect(problems()).toEqual([])
    await context.close()
  })

  test('a guest whose cookie is lost goes on as another one, and who has no session any more can sign in', async () => {
    const { page, context, problems } = await browser.open(cloud.trellis.origin)
    await page.goto('/listings/settings')
    const currency = page.getByLabel('Currency for comparison')
    await currency.waitFor()
    await context.clearCookies()
    await currency.selectOption('EUR')
    await page.locator('.toast').getByText('Saved', { exact: true }).waitFor()
    await page.reload()
    await expect.poll(() => currency.inputValue()).toBe('EUR')
    const ended = (await cloud.user('free'))['x-gateway-session']?.replace(/.$/, '') ?? ''
    await context.clearCookies()
    await context.addCookies([{ name: 'gateway_session', value: ended, url: cloud.trellis.origin }])
    await currency.selectOption('CHF')
    const alert = page.getByRole('alert').filter({ hasText: 'Sign in again.' })
    expect(await alert.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe(signIn)
    expect(problems()).toEqual([])
    await context.close()
  })

  test('an account of the free tier is told what it lacks before it tries, and what is refused says what to do', async () => {
    const { page, context, problems } = await openAs('free')
    await search(page)
    const pages = page.getByLabel('Pages', { exact: true })
    expect(await pages.locator('option').allTextContents()).toEqual(['1', '2', '3', '5'])
    expect(await pages.locator('option:enabled').allTextContents()).toEqual(['1'])
    await page.getByText('Your tier reads 1; the paid tier reads 5.').waitFor()
    await page.getByText('Describe in words').click()
    await page.getByText('Building a search from plain words needs the paid tier or a higher one.').waitFor()
    expect(await isBlocked(page.getByRole('button', { name: 'Build search' }))).toBe(true)
    expect(await page.getByRole('main').getByRole('link', { name: 'Sign in' }).count()).toBe(0)

    const alert = page.getByRole('alert').filter({ hasText: 'The search was not saved.' })
    for (let count = 1; count <= 4; count += 1) {
      const answered = page.waitForResponse((answer) => answer.request().method() === 'POST')
      await page.getByRole('button', { name: 'Save search' }).click()
      const dialog = page.getByRole('dialog', { name: 'Save search' })
      expect(await dialog.getByLabel('Monitor it and alert me').isDisabled()).toBe(true)
      await dialog.getByRole('button', { name: 'Save', exact: true }).click()
      expect((await answered).status()).toBe(count <= 3 ? 201 : 403)
      if (count <= 3) await dialog.waitFor({ state: 'hidden' })
    }
    await alert.getByText('Your tier allows 3 saved searches: delete one, or use a higher tier.').waitFor()
    expect(await violationsInThemes(page)).toEqual([])
    await alert.getByRole('link', { name: 'Saved searches' }).click()
    await page.getByText('3 of 3 saved searches of your tier are used: delete one to save another.').waitFor()
    expect(await page.getByLabel('Monitor').first().isDisabled()).toBe(true)
    await page.getByText('Monitoring needs the paid tier or a higher one.').first().waitFor()
    expect(await violationsInThemes(page)).toEqual([])
    await page.goto('/listings/settings')
    await page.getByText('A campaign of your own needs the premium tier or a higher one.').waitFor()
    expect(await isBlocked(page.getByRole('button', { name: 'Save campaign' }))).toBe(true)
    expect(problems()).toEqual([])
    await context.close()
  })

  test('stems of a free account are refused with 402 in a sentence that leads on, and a paid account makes them', async () => {
    for (const tier of ['free', 'paid'] as const) {
      const { page, context, problems } = await openAs(tier)
      await page.goto('/music')
      await page.getByRole('button', { name: 'Take the example tune' }).click()
      await page.getByRole('heading', { level: 1, name: 'Example tune' }).waitFor()
      await page.getByRole('treeitem', { name: 'Upload' }).getByRole('button', { name: 'Stems' }).click()
      const dialog = page.getByRole('dialog', { name: 'Stems' })
      if (tier === 'paid') await dialog.getByRole('button', { name: 'Separate' }).waitFor()
      else {
        await dialog.getByText('Stems need the paid tier or a higher one; yours is free.').waitFor()
        expect(await dialog.getByRole('button', { name: 'Separate' }).count()).toBe(0)
        expect(await violationsInThemes(page)).toEqual([])
        await dialog.getByRole('link', { name: 'What your tier allows' }).click()
        await page.getByRole('heading', { name: 'What you may use' }).waitFor()
      }
      expect(problems()).toEqual([])
      await context.close()
    }
  })

  test('an account of the paid tier monitors a search and reads more pages, and one of the premium tier sets a campaign', async () => {
    const paid = await openAs('paid')
    await search(paid.page)
    const pages = paid.page.getByLabel('Pages', { exact: true })
    expect(await pages.locator('option:enabled').allTextContents()).toEqual(['1', '2', '3', '5'])
    await paid.page.getByRole('button', { name: 'Save search' }).click()
    await paid.page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
    await paid.page.getByText('Saved: find it under “Saved”').waitFor()
    await paid.page.goto('/listings/saved')
    await paid.page.getByLabel('Monitor').check()
    await paid.page.getByLabel('Every, minutes').waitFor()
    await paid.page.goto('/listings/settings')
    await paid.page.getByText('A campaign of your own needs the premium tier or a higher one.').waitFor()
    expect(paid.problems()).toEqual([])
    await paid.context.close()

    const premium = await openAs('premium')
    await premium.page.goto('/listings/settings')
    await premium.page.getByLabel('My own campaign').fill('campaign-7')
    const isShared = premium.page.getByLabel('Share the sellers that I block')
    const saved = premium.page.waitForResponse((response) => response.request().method() === 'PATCH')
    await isShared.check()
    await saved
    await premium.page.locator('.toast').getByText('Saved', { exact: true }).waitFor()
    expect(await premium.page.getByLabel('My own campaign').inputValue()).toBe('campaign-7')
    await premium.page.getByRole('button', { name: 'Dismiss' }).click()
    await premium.page.getByRole('button', { name: 'Save campaign' }).click()
    await premium.page.locator('.toast').getByText('Saved', { exact: true }).waitFor()
    await premium.page.reload()
    await expect.poll(() => premium.page.getByLabel('My own campaign').inputValue()).toBe('campaign-7')
    expect(premium.problems()).toEqual([])
    await premium.context.close()
  })
})
