import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hasBrowser, skipped } from '../support/browser.ts'
import { installationOfSuite } from '../support/installation.ts'
import { createIncident } from '../support/log-requests.ts'

const path = '/logs/api/incidents'
/** After this time, a GET that a network error has hit is sent again. */
const waitMilliseconds = 300

/** Lets the first requests of a kind end as they do when the network of the machine changes. Returns the queries of all of them. */
const failFirst = async (page: Page, method: string, failures: number): Promise<string[]> => {
  const queries: string[] = []
  await page.route(
    (url) => url.pathname === path,
    async (route, request) => {
      if (request.method() !== method) return route.continue()
      queries.push(new URL(request.url()).search)
      if (queries.length <= failures) return route.abort('internetdisconnected')
      return route.continue()
    },
  )
  return queries
}

/** Lets the time pass after which a GET is sent again. The page may learn that the first one failed only after the clock has run once. */
const runUntilSentAgain = (page: Page, queries: readonly string[]): Promise<void> =>
  expect
    .poll(async () => {
      await page.clock.runFor(waitMilliseconds)
      return queries.length
    })
    .toBe(2)

describe.skipIf(!hasBrowser)(`requests that a change of the network ends${skipped}`, () => {
  const installation = installationOfSuite({ seed: (origin) => createIncident(origin, 'Checkout fails') })

  /** The list of incidents, with a clock that stands still. */
  const open = async () => {
    const { page, context } = await installation.open()
    await page.clock.install()
    await page.goto('/logs/incidents')
    await page.getByRole('link', { name: 'Checkout fails' }).waitFor()
    await page.clock.pauseAt(Date.now() + 3_600_000)
    const choose = (status: string) => page.getByLabel('Status').selectOption(status)
    const alerts = page.getByRole('alert')
    const offline = page.getByText('changes are not possible')
    return { page, context, choose, alerts, offline }
  }

  test('a GET that fails once is sent once more, and no error is shown', async () => {
    const { page, context, choose, alerts, offline } = await open()
    const queries = await failFirst(page, 'GET', 1)
    await choose('open')
    await expect.poll(() => queries.length).toBe(1)
    expect([await alerts.count(), await offline.count()]).toEqual([0, 0])
    await runUntilSentAgain(page, queries)
    await page.getByRole('link', { name: 'Checkout fails' }).waitFor()
    await page.locator('main [aria-busy=true]').waitFor({ state: 'detached' })
    expect(queries).toHaveLength(2)
    expect(queries[1]).toBe(queries[0])
    expect([await alerts.count(), await offline.count()]).toEqual([0, 0])
    await context.close()
  })

  test('a GET that fails twice is an error, reported once', async () => {
    const { page, context, choose, alerts, offline } = await open()
    const queries = await failFirst(page, 'GET', 2)
    await choose('open')
    await runUntilSentAgain(page, queries)
    await alerts.waitFor()
    await offline.waitFor()
    expect([queries.length, await alerts.count()]).toEqual([2, 1])
    await context.close()
  })

  test('a POST is never sent again', async () => {
    const { page, context, alerts, offline } = await open()
    const queries = await failFirst(page, 'POST', 1)
    await page.getByRole('button', { name: 'New incident' }).click()
    const dialog = page.getByRole('dialog', { name: 'New incident' })
    await dialog.getByLabel('Label', { exact: true }).fill('Sent once')
    await dialog.getByRole('button', { name: 'Create incident' }).click()
    await alerts.waitFor()
    await offline.waitFor()
    await page.clock.runFor(2 * waitMilliseconds)
    expect(queries).toHaveLength(1)
    await context.close()
  })

  test('a GET that is no longer needed is not sent again', async () => {
    const { page, context, choose, alerts, offline } = await open()
    const queries = await failFirst(page, 'GET', 1)
    await choose('open')
    await expect.poll(() => queries.length).toBe(1)
    await choose('resolved')
    await page.getByText('No incident matches.').waitFor()
    await page.clock.runFor(2 * waitMilliseconds)
    // Requests arrive in their order: one that was sent again would precede this one.
    await choose('acknowledged')
    await expect.poll(() => queries.length).toBeGreaterThan(2)
    const statuses = queries.map((query) => new URLSearchParams(query).get('status'))
    expect(statuses).toEqual(['open', 'resolved', 'acknowledged'])
    expect([await alerts.count(), await offline.count()]).toEqual([0, 0])
    await context.close()
  })
})
