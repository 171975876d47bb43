import { freePort } from '@trellis/distributed/servers'
import { describe, expect, test } from 'vitest'
import { everyPage } from '../every-page.ts'
import { hasBrowser, skipped } from '../support/browser.ts'
import { installationOfSuite } from '../support/installation.ts'
import { logLines, pushLines } from '../support/log-lines.ts'
import { startWithPages } from '../support/served.ts'

const base = '/trellis'

describe.skipIf(!hasBrowser)(`below a path, in a browser${skipped}`, () => {
  const installation = installationOfSuite({
    start: async () => {
      const port = String(await freePort())
      return startWithPages({ PORT: port, EDGE_URL: `http://127.0.0.1:${port}${base}` })
    },
    seed: (origin) => pushLines(origin, 'shop', logLines(40).split('\n')),
  })

  test('every page opens, and whatever it asks for lies below the path', async () => {
    const { page, problems } = await installation.openShared()
    const outside = new Set<string>()
    page.on('request', (request) => {
      const { protocol, pathname } = new URL(request.url())
      if (protocol.startsWith('http') && !pathname.startsWith(`${base}/`)) outside.add(pathname)
    })
    for (const path of everyPage) {
      await page.goto(base + path)
      await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
      const links: string[] = JSON.parse(
        await page.evaluate(
          `JSON.stringify([...document.querySelectorAll('a[href]')].map(({ origin, pathname }) => origin === location.origin ? pathname : ''))`,
        ),
      )
      for (const link of links) if (link !== '' && !`${link}/`.startsWith(`${base}/`)) outside.add(`${path}: ${link}`)
    }
    expect([...outside]).toEqual([])
    expect(problems()).toEqual([])
  })

  test('a line is found, a listing is opened, a tune is continued, and the URLs of its audio lead to it', async () => {
    const { page, problems } = await installation.openShared()
    await page.goto(`${base}/`)
    await page.waitForURL(`**${base}/home`)
    await page.getByRole('navigation').getByRole('link', { name: 'Logs' }).first().click()
    await page.waitForURL(`**${base}/logs*`)
    await page.getByRole('searchbox', { name: 'Search logs' }).fill('refused')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByText('10 found').waitFor()

    await page.goto(`${base}/listings?q=canon+camera`)
    await page.getByRole('list', { name: 'Listings' }).getByRole('link').first().click()
    await page.waitForURL(`**${base}/listings/item/**`)

    await page.goto(`${base}/home`)
    await page.getByRole('button', { name: 'Continue an example tune' }).click()
    await page.getByRole('heading', { level: 1, name: 'Example tune' }).waitFor()
    const form = page.getByRole('form', { name: 'Continue' })
    await form.getByLabel('Takes').fill('1')
    await form.getByLabel('Seconds', { exact: true }).fill('2')
    await form.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('treeitem', { name: 'Take 1' }).getByText('undecided').waitFor()
    const chain = page.url().split('/').pop()
    const answer = await fetch(`${installation.origin}${base}/music/api/chains/${chain}`)
    const { nodes } = (await answer.json()) as { nodes: { audio_url: string; peaks_url: string }[] }
    for (const { audio_url, peaks_url } of nodes)
      for (const path of [audio_url, peaks_url]) {
        expect(path).toMatch(/^\/trellis\/music\/api\/chains\//)
        expect((await fetch(installation.origin + path)).status).toBe(200)
      }
    expect(problems()).toEqual([])
  })
})
