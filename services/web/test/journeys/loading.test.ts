import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { settled, violationsInThemes } from '../support/accessible.ts'
import { hasBrowser, skipped } from '../support/browser.ts'
import { installationOfSuite } from '../support/installation.ts'
import { pushLines } from '../support/log-lines.ts'

const shell = /\/assets\/shell-[^/]*\.js$/
const styles = /\/assets\/shell-[^/]*\.css$/
const pages = /\/assets\/Page-[^/]*\.js$/

/** Aborts requests, at most `times` of them; returns a function that stops it. */
const cut = async (page: Page, address: RegExp, times?: number): Promise<() => Promise<void>> => {
  await page.route(address, (route) => route.abort(), times === undefined ? {} : { times })
  return () => page.unroute(address)
}

/** Counts how often the page itself is requested. */
const countLoads = (page: Page): (() => number) => {
  let count = 0
  page.on('request', (request) => {
    if (request.isNavigationRequest()) count += 1
  })
  return () => count
}

describe.skipIf(!hasBrowser)(`files of the app that cannot be loaded${skipped}`, () => {
  const installation = installationOfSuite()

  test.each([
    ['script', shell],
    ['style', styles],
  ])('a page whose first %s was cut off loads again by itself, once', async (_, address) => {
    const { page, context } = await installation.open()
    const loads = countLoads(page)
    await cut(page, address, 1)
    await page.goto('/logs/incidents?status=open')
    await expect.poll(loads).toBe(2)
    await page.getByRole('heading', { level: 1, name: 'Incidents' }).waitFor()
    await expect.poll(() => page.evaluate('getComputedStyle(document.getElementById("main")).maxWidth')).toBe('1600px')
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
    expect([loads(), new URL(page.url()).search]).toEqual([2, '?status=open'])
    await context.close()
  })

  test('a page whose first script never arrives shows an error after one retry, and its Reload keeps the address', async () => {
    const { page, context } = await installation.open()
    const loads = countLoads(page)
    const mend = await cut(page, shell)
    await page.goto('/logs/incidents?status=open')
    await page.getByText('Trellis could not be loaded. Check that you are online, then reload the page.').waitFor()
    expect(loads()).toBe(2)
    expect(await violationsInThemes(page)).toEqual([])
    const reload = page.getByRole('link', { name: 'Reload' })
    await reload.click()
    await page.getByText('Check that you are online').waitFor()
    expect(loads()).toBe(3)
    await mend()
    await reload.click()
    await page.getByRole('heading', { level: 1, name: 'Incidents' }).waitFor()
    expect(new URL(page.url()).search).toBe('?status=open')
    await context.close()
  })

  test('a page waits with its second attempt until the server answers', async () => {
    const { page, context } = await installation.open()
    const loads = countLoads(page)
    const mendShell = await cut(page, shell)
    // A script requests the page itself, before it is loaded again.
    await page.route(/\/home$/, (route) =>
      route.request().resourceType() === 'fetch' ? route.abort() : route.continue(),
    )
    const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/home'))
    await page.goto('/home')
    await page.getByText('It is tried again as soon as the server answers.').waitFor()
    await failed
    expect(loads()).toBe(1)
    await mendShell()
    await page.unroute(/\/home$/)
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    expect(loads()).toBe(2)
    await context.close()
  })

  test('a page without storage does not reload by itself, and names the next step', async () => {
    const { page, context, problems } = await installation.open()
    await page.addInitScript(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('The storage is full.', 'QuotaExceededError')
      }
      Storage.prototype.removeItem = () => {
        throw new DOMException('The storage is refused.', 'SecurityError')
      }
    })
    const loads = countLoads(page)
    const mend = await cut(page, shell)
    await page.goto('/home')
    await page.getByText('Check that you are online, then reload the page.').waitFor()
    expect(loads()).toBe(1)
    await mend()
    await page.getByRole('link', { name: 'Reload' }).click()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    expect(problems().filter((problem) => problem.startsWith('error'))).toEqual([])
    await context.close()
  })

  test('a page of which no script arrives shows a way to load it again', async () => {
    const { page, context } = await installation.open()
    await cut(page, /\/assets\/.*\.js$/)
    // The text appears by an animation, after ten seconds.
    const session = await context.newCDPSession(page)
    await session.send('Animation.enable')
    await session.send('Animation.setPlaybackRate', { playbackRate: 20 })
    await page.goto('/home')
    await page.getByText('Trellis takes long to load. If nothing appears, reload the page.').waitFor()
    await page.getByRole('link', { name: 'Reload' }).waitFor()
    await context.close()
  })

  test('a page of the app that cannot be loaded shows an error, and Try again loads it', async () => {
    const { page, context } = await installation.open()
    await page.goto('/home')
    await settled(page)
    const loads = countLoads(page)
    const mend = await cut(page, pages)
    await page.getByRole('link', { name: 'Music', exact: true }).click()
    const alert = page.getByRole('alert').filter({ hasText: 'This page could not be loaded.' })
    await alert.waitFor()
    expect(await violationsInThemes(page)).toEqual([])
    const tryAgain = alert.getByRole('button', { name: 'Try again' })
    // The server answers and the file does not come: only a new page can know where it is now. It is loaded once a click.
    await tryAgain.click()
    await expect.poll(loads).toBe(1)
    await alert.waitFor()
    expect(loads()).toBe(1)
    await mend()
    await tryAgain.click()
    await alert.waitFor({ state: 'detached' })
    await page.getByRole('heading', { level: 1, name: 'Pieces' }).waitFor()
    expect(loads()).toBe(1)
    await context.close()
  })

  test('styles of a page of the app that were cut off are loaded with it when it is tried again', async () => {
    const { page, context } = await installation.open()
    await page.goto('/home')
    await settled(page)
    const failed = page.waitForEvent('requestfailed', (request) => request.resourceType() === 'stylesheet')
    await cut(page, /\/assets\/Page-[^/]*\.css$/, 1)
    await page.getByRole('link', { name: 'Listings', exact: true }).click()
    await failed
    await page.getByRole('searchbox', { name: 'Search listings' }).waitFor()
    // The rules of a style that failed cannot be read.
    const rules = () =>
      page.evaluate('[...document.styleSheets].map(({ cssRules }) => cssRules.length)').catch(() => [0])
    await expect.poll(rules).not.toContain(0)
    await context.close()
  })

  test('styles of a part that were cut off when it was loaded ahead are loaded when it is shown', async () => {
    const { page, context } = await installation.open()
    const failed = page.waitForEvent('requestfailed', (request) => request.resourceType() === 'stylesheet')
    await cut(page, /\/assets\/Lines-[^/]*\.css$/, 1)
    await page.goto('/logs')
    await page.getByText('Nothing has been read yet.').waitFor()
    await failed
    await pushLines(installation.origin, 'shop', ['the first line'])
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByRole('tab', { name: 'Templates' }).waitFor()
    const rules = () =>
      page.evaluate('[...document.styleSheets].map(({ cssRules }) => cssRules.length)').catch(() => [0])
    await expect.poll(rules).not.toContain(0)
    await context.close()
  })

  test('a page that is opened without a network loads by itself with the network', async () => {
    const { page, context } = await installation.open()
    await page.goto('/home')
    await settled(page)
    await context.setOffline(true)
    await page.getByRole('link', { name: 'Music', exact: true }).click()
    await page.getByText('This page is loaded as soon as it can be.').waitFor()
    await context.setOffline(false)
    await page.getByRole('heading', { level: 1, name: 'Pieces' }).waitFor()
    await context.close()
  })

  test('a live search that cannot be loaded shows a toast, and follows once it can', async () => {
    const { page, context } = await installation.open()
    const mend = await cut(page, /\/assets\/live\.svelte-[^/]*\.js$/)
    await page.goto('/logs')
    await settled(page)
    const live = page.getByRole('button', { name: 'Live', exact: true })
    await live.click()
    await page.getByText('Live could not be loaded.').waitFor()
    await page.waitForURL((url) => !url.searchParams.has('live'))
    await mend()
    await live.click()
    await page.getByRole('status').filter({ hasText: 'Following' }).waitFor()
    await context.close()
  })

  test('parts with lines and with results report that they cannot be loaded, and work once they can', async () => {
    const { page, context } = await installation.open()
    await pushLines(installation.origin, 'shop', ['a line of a part'])
    const tryAgain = page.getByRole('main').getByRole('alert').getByRole('button', { name: 'Try again' })
    const mendLines = await cut(page, /\/assets\/Controller-[^/]*\.js$/)
    await page.goto('/logs?q=line')
    await page.getByText('This could not be loaded.').waitFor()
    expect(await violationsInThemes(page)).toEqual([])
    await mendLines()
    await tryAgain.click()
    await page.getByRole('grid', { name: 'Log lines' }).getByText('a line of a part').waitFor()
    const mendResults = await cut(page, /\/assets\/Results-[^/]*\.js$/)
    await page.goto('/listings')
    const example = page.getByRole('button', { name: 'canon camera' })
    await example.waitFor()
    expect(await tryAgain.count()).toBe(0)
    await example.click()
    await page.getByText('This could not be loaded.').waitFor()
    await mendResults()
    await tryAgain.click()
    await page.getByRole('list', { name: 'Listings' }).getByRole('listitem').first().waitFor()
    await context.close()
  })

  test('a dialog that cannot be loaded shows a toast, and opens once it can', async () => {
    const { page, context } = await installation.open()
    const mend = await cut(page, /\/assets\/KeyHelp-[^/]*\.js$/)
    await page.goto('/home')
    await settled(page)
    await page.keyboard.press('?')
    await page.getByText('This could not be loaded.').waitFor()
    await mend()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await context.close()
  })

  test('the keys of a page are loaded in a browser that is never idle, too', async () => {
    const { page, context } = await installation.open()
    await page.addInitScript({
      content: `window.requestIdleCallback = (callback, { timeout } = {}) => {
        if (timeout !== undefined) setTimeout(callback, timeout)
        return 0
      }`,
    })
    await page.goto('/listings')
    await page.getByRole('heading', { level: 1, name: 'Search listings' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Block seller').waitFor()
    await context.close()
  })
})
