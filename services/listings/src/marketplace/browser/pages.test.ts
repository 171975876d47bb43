import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromiumMissing, chromiumOptions, isRoot } from '@trellis/test/support/chromium'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { card, openSite, shellOf } from '../../../test/scripted-site.ts'
import type { HttpGet } from '../scraper/http-get.ts'
import { launchChromium } from './launch.ts'
import { createPages, type PagesOptions } from './pages.ts'
import { createRender } from './render.ts'

const { signal } = new AbortController()

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await sleep(20)
}

/** Process id of the browser itself; its renderers end with it. */
const processOf = async (browser: Browser): Promise<number> => {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  return processInfo.find(({ type }) => type === 'browser')?.id ?? 0
}

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}/exe`)

describe.skipIf(chromiumMissing !== '')(`the browser and its pages ${chromiumMissing}`, () => {
  const browsers: Browser[] = []
  let temporary = ''
  const usual = process.env.TMPDIR
  // Killed processes leave files in the temporary directory, which only this test removes.
  beforeAll(async () => {
    temporary = await mkdtemp(join(tmpdir(), 'browser-test-'))
    process.env.TMPDIR = temporary
  })
  afterAll(async () => {
    if (usual === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = usual
    await rm(temporary, { recursive: true, force: true, maxRetries: 5 })
  })
  afterEach(() => browsers.splice(0))

  const open = (options: Partial<PagesOptions> = {}) =>
    createPages({
      launch: async () => {
        const browser = await launchChromium(chromiumOptions)
        browsers.push(browser)
        return browser
      },
      userAgent: 'Tester/1.0',
      maxOpen: 3,
      maxPerBrowser: 100,
      idleMilliseconds: 60_000,
      ...options,
    })

  const renderIn = (pages: ReturnType<typeof open>) =>
    createRender({
      pages,
      timeoutMilliseconds: 20_000,
      maxRequests: 10,
      maxCharacters: 1_000_000,
      maxElements: 10_000,
    })

  test('the first page starts a browser, which is replaced after its maximum number of pages', async () => {
    await using pages = open({ maxPerBrowser: 2 })
    expect(browsers).toHaveLength(0)
    for (let page = 0; page < 5; page++) await pages.use(async (opened) => opened.title(), signal)
    expect(browsers).toHaveLength(3)
    await until(() => browsers.filter((browser) => browser.isConnected()).length === 1)
  })

  test('the number of open pages is limited, and each has its own context', async () => {
    await using pages = open({ maxOpen: 2 })
    let max = 0
    const show = () =>
      pages.use(async (page) => {
        const contexts = page.context().browser()?.contexts() ?? []
        max = Math.max(max, contexts.length)
        expect(contexts.every((context) => context.pages().length <= 1)).toBe(true)
        await sleep(50)
      }, signal)
    await Promise.all([show(), show(), show(), show(), show()])
    expect(max).toBe(2)
    expect(browsers).toHaveLength(1)
  })

  test('an idle browser closes after a while, and the next page starts another', async () => {
    await using pages = open({ idleMilliseconds: 50 })
    await pages.use(async () => undefined, signal)
    await until(() => browsers[0]?.isConnected() === false)
    await pages.use(async () => undefined, signal)
    expect(browsers).toHaveLength(2)
  })

  test('the browser itself reaches no network, not even loopback', async () => {
    await using site = await openSite({ '/page': { body: 'reached' } })
    await using pages = open()
    await pages.use(async (page) => {
      for (const address of [site.url, site.url.replace('127.0.0.1', 'localhost')])
        await expect(page.goto(`${address}/page`)).rejects.toThrow('ERR_NAME_NOT_RESOLVED')
    }, signal)
    expect(site.paths()).toEqual([])
  })

  test('a page that is cancelled while the browser starts rejects at once', async () => {
    const starting = Promise.withResolvers<Browser>()
    await using pages = open({ launch: () => starting.promise })
    const leaving = new AbortController()
    const shown = pages.use(async () => undefined, leaving.signal)
    leaving.abort(new Error('It was cancelled.'))
    await expect(shown).rejects.toThrow('It was cancelled.')
    starting.resolve(await launchChromium(chromiumOptions))
  })

  test('a page that is cancelled closes at once, and its browser stays open', async () => {
    await using pages = open()
    const leaving = new AbortController()
    const opened = Promise.withResolvers<void>()
    const shown = pages.use(() => {
      opened.resolve()
      return new Promise<never>(() => undefined)
    }, leaving.signal)
    await opened.promise
    leaving.abort(new Error('It was cancelled.'))
    await expect(shown).rejects.toThrow('It was cancelled.')
    expect(browsers[0]?.contexts()).toHaveLength(0)
    await pages.use(async () => undefined, signal)
    expect(browsers).toHaveLength(1)
  })

  test('a cancelled waiter leaves its slot to the next in the queue', async () => {
    await using pages = open({ maxOpen: 1 })
    const held = Promise.withResolvers<void>()
    const first = pages.use(() => held.promise, signal)
    const leaving = new AbortController()
    const second = pages.use(async () => 'second', leaving.signal)
    const third = pages.use(async () => 'third', signal)
    leaving.abort(new Error('It was cancelled.'))
    await expect(second).rejects.toThrow('It was cancelled.')
    held.resolve()
    await first
    expect(await third).toBe('third')
  })

  test('a page whose browser dies is retried once in a new browser, and then fails', async () => {
    await using pages = open()
    let deaths = 1
    /** Returns the script of the page, and kills its browser the first `deaths` times. */
    const get: HttpGet = async (address) => {
      const browser = browsers.at(-1)
      if (deaths-- > 0 && browser !== undefined) {
        process.kill(await processOf(browser), 'SIGKILL')
        await until(() => !browser.isConnected())
      }
      const body = `document.querySelector('#root').innerHTML = ${JSON.stringify(`<ul>${card(1)}</ul>`)}`
      return { status: 200, body, address, contentType: 'text/javascript', retryAfterSeconds: undefined }
    }
    const page = { address: 'http://site.test/page', html: shellOf('<script src="/page.js"></script>') }
    const show = () => renderIn(pages)(page, get, signal)
    expect(await show()).toContain('Camera 1')
    expect(browsers).toHaveLength(2)
    deaths = 2
    await expect(show()).rejects.toMatchObject({ status: 503, reason: 'BrowserUnavailable' })
    expect(await show()).toContain('Camera 1')
  })

  test('a killed worker leaves no browser process behind', async () => {
    const module = new URL('../../../test/browser-holder.ts', import.meta.url)
    const child = spawn(process.execPath, [module.pathname, JSON.stringify(chromiumOptions)], {
      env: { TMPDIR: temporary },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const pids = JSON.parse(line.toString()) as readonly number[]
    expect(pids.length).toBeGreaterThan(2)
    expect(pids.every(isAlive)).toBe(true)
    child.kill('SIGKILL')
    await until(() => !pids.some(isAlive))
  })

  test.skipIf(!isRoot)(
    `an unusable sandbox fails with the setting that disables it${isRoot ? '' : ' (needs root)'}`,
    async () => {
      await expect(launchChromium({ ...chromiumOptions, hasSandbox: true })).rejects.toMatchObject({
        reason: 'BrowserUnavailable',
        message: expect.stringContaining('LISTINGS_CHROMIUM_SANDBOX=0'),
      })
    },
  )
})
