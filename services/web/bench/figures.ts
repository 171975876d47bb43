import { settled } from '../test/support/accessible.ts'
import type { TestBrowser } from '../test/support/browser.ts'
import { readBuiltFiles } from '../test/support/built-files.ts'
import { pushLines } from '../test/support/log-lines.ts'
import { openMeasured, quantile } from './measured-page.ts'

/** Kilobytes, gzipped, of what first visits load, of the largest page, and of everything. */
export const sizes = async () => {
  const built = await readBuiltFiles()
  return {
    visits: ['/home', '/listings', '/logs', '/music'].map((path) => ({
      path,
      script: built.sizeOf(built.firstVisitAt(path)),
    })),
    styles: built.sizeOf(built.shell.styles),
    page: Math.max(...built.pages.map((page) => built.sizeOf([page]))),
    everything: built.sizeOf(built.names),
  }
}

/** The medians of several visits with an empty cache. */
export const paints = async (browser: TestBrowser, origin: string, slowdown: number) => {
  const visits = []
  for (const path of ['/home', '/logs', '/listings', '/music', '/home', '/logs']) {
    await using measured = await openMeasured(browser, origin, slowdown)
    await measured.page.goto(path)
    await settled(measured.page)
    visits.push(await measured.figures())
  }
  return {
    paint: quantile(
      visits.map(({ paint }) => paint),
      0.5,
    ),
    largest: quantile(
      visits.map(({ largest }) => largest),
      0.5,
    ),
    shifts: Math.max(...visits.map(({ shifts }) => shifts)),
  }
}

/** From Enter until the rows of the answer are painted, of searches with 100 to 200 rows; and how long inputs take. */
export const searches = async (browser: TestBrowser, origin: string, count: number) => {
  await using measured = await openMeasured(browser, origin)
  const { page } = measured
  await page.goto('/logs?order=time')
  await settled(page)
  const box = page.getByRole('searchbox', { name: 'Search logs' })
  const times: number[] = []
  for (let index = 0; index < count; index += 1) {
    await box.fill(index % 2 === 0 ? 'products' : 'products OR orders')
    const painted = page.evaluate(`new Promise((resolve) => {
      addEventListener('keydown', (event) => {
        const began = event.timeStamp
        const status = [...document.querySelectorAll('main [role=status]')].find((node) => node.textContent.includes('found in'))
        const observer = new MutationObserver(() => {
          observer.disconnect()
          requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)))
        })
        observer.observe(status, { subtree: true, childList: true, characterData: true })
      }, { once: true, capture: true })
    })`)
    await box.press('Enter')
    times.push(Number(await painted))
    await settled(page)
  }
  const { inputs } = await measured.figures()
  return {
    median: quantile(times, 0.5),
    p95: quantile(times, 0.95),
    inputs: inputs.length > 0 ? quantile(inputs, 0.98) : 16,
  }
}

const perBatch = 200

/** Lines that arrive at a pace while a page follows them: frames a second, and the main thread's time a frame. */
export const following = async (
  browser: TestBrowser,
  origin: string,
  { perSecond, seconds }: { perSecond: number; seconds: number },
) => {
  await using measured = await openMeasured(browser, origin)
  const { page } = measured
  await page.goto('/logs?live=1')
  await page.getByRole('status').filter({ hasText: 'Following' }).waitFor()
  await page.evaluate(`
    window.frames = []
    const frame = (at) => { window.frames.push(at); requestAnimationFrame(frame) }
    requestAnimationFrame(frame)
  `)
  const before = await measured.mainThread()
  const began = performance.now()
  const batches = (perSecond * seconds) / perBatch
  for (let batch = 0; batch < batches; batch += 1) {
    const ahead = (batch * perBatch * 1_000) / perSecond - (performance.now() - began)
    if (ahead > 0) await page.waitForTimeout(ahead)
    await pushLines(
      origin,
      'pace',
      Array.from({ length: perBatch }, (_, index) => `line ${batch * perBatch + index} GET /products/${index} 200`),
    )
  }
  const elapsed = (performance.now() - began) / 1_000
  const busy = (await measured.mainThread()) - before
  const frames = JSON.parse(await page.evaluate('JSON.stringify(window.frames)')) as number[]
  const gaps = frames.slice(1).map((at, index) => at - (frames[index] ?? at))
  const { usedSize } = await measured.session.send('Runtime.getHeapUsage')
  return {
    sent: (batches * perBatch) / elapsed,
    framesPerSecond: 1_000 / quantile(gaps, 0.5),
    perFrame: busy / frames.length,
    share: busy / 1_000 / elapsed,
    heap: usedSize / 1e6,
  }
}

/** From a click on "Play spine" until the first sample is scheduled, and the main thread's time for one redraw of the waveform. */
export const studio = async (browser: TestBrowser, origin: string, count: number) => {
  await using measured = await openMeasured(browser, origin)
  const { page } = measured
  await page.addInitScript(`
    const { start } = AudioBufferSourceNode.prototype
    AudioBufferSourceNode.prototype.start = function (...when) {
      window.started?.(performance.now())
      return start.apply(this, when)
    }
  `)
  await page.goto('/music')
  await page
    .getByRole('button', { name: 'Take the example tune' })
    .or(page.getByRole('link', { name: 'Example tune' }).first())
    .click()
  await page.getByRole('form', { name: 'Continue' }).waitFor()
  await settled(page)
  const sounds: number[] = []
  for (let index = 0; index < count; index += 1) {
    const sounded = page.evaluate(`new Promise((resolve) => {
      let clicked = 0
      addEventListener('click', (event) => { clicked = event.timeStamp }, { once: true, capture: true })
      window.started = (at) => { window.started = undefined; resolve(at - clicked) }
    })`)
    await page.getByRole('button', { name: 'Play spine' }).click()
    sounds.push(Number(await sounded))
    await page.getByRole('button', { name: 'Stop', exact: true }).first().click()
    await page.getByRole('button', { name: 'Play spine' }).waitFor()
  }
  const before = await measured.mainThread()
  const redraws = 20
  for (let index = 0; index < redraws; index += 1) {
    await page.keyboard.press(index % 2 === 0 ? '+' : '-')
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => resolve()))')
  }
  return { sound: quantile(sounds, 0.5), redraw: ((await measured.mainThread()) - before) / redraws }
}
