import { chromium } from 'playwright-core'
import { following, paints, searches, sizes, studio } from '../../services/web/bench/figures.ts'
import { launchBrowser } from '../../services/web/test/support/browser.ts'
import { logLines, pushLines } from '../../services/web/test/support/log-lines.ts'
import { startWithPages } from '../../services/web/test/support/served.ts'
import { chromiumMissing, chromiumOptions } from '../support/chromium.ts'
import { round } from './machine.ts'

const lines = 5_000
const keystrokes = 30
const plays = 10
const pace = { perSecond: 2_000, seconds: 10 }

const versionOf = async (): Promise<string> => {
  const browser = await chromium.launch({
    executablePath: chromiumOptions.executable,
    chromiumSandbox: chromiumOptions.hasSandbox,
  })
  const version = browser.version()
  await browser.close()
  return version
}

/** A figure beside its budget, and what part of it it takes. */
const against = (what: string, value: number, budget: number, unit: string, digits = 0): string =>
  `${what}: ${round(value, digits)} ${unit}, ${round(value / budget, 2)} of the budget of ${budget}`

/** Measures the web app in a real browser on an installation of its own, against the budget of its design. */
export async function* benchWeb(): AsyncGenerator<string[]> {
  if (chromiumMissing) {
    yield [`not measured: ${chromiumMissing}`]
    return
  }
  await using opened = new AsyncDisposableStack()
  const { origin } = opened.use(await startWithPages())
  const browser = opened.use(await launchBrowser())
  await pushLines(origin, 'shop', logLines(lines).split('\n'))
  yield [`browser: Chromium ${await versionOf()}, headless, 1280 x 900`]
  const size = await sizes()
  yield [
    ...size.visits.map(({ path, script }) =>
      against(`script of a first visit of ${path}, gzipped`, script, 50, 'KB', 1),
    ),
    against('styles of a first visit, gzipped', size.styles, 10, 'KB', 1),
    against('largest page, gzipped', size.page, 25, 'KB', 1),
    against('everything, gzipped', size.everything, 260, 'KB'),
  ]
  const plain = await paints(browser, origin, 1)
  const slow = await paints(browser, origin, 4)
  yield [
    against('first paint, median of six visits', plain.paint, 250, 'ms'),
    against('first paint at a quarter of the speed', slow.paint, 800, 'ms'),
    against('largest paint', plain.largest, 1_000, 'ms'),
    against('layout shift, worst visit', Math.max(plain.shifts, slow.shifts), 0.02, '', 3),
  ]
  const found = await searches(browser, origin, keystrokes)
  yield [
    against('Enter to painted rows, median', found.median, 60, 'ms'),
    against('Enter to painted rows, p95', found.p95, 120, 'ms'),
    against('inputs, p98', found.inputs, 100, 'ms'),
  ]
  const followed = await following(browser, origin, pace)
  yield [
    `following ${round(followed.sent)} lines/s for ${pace.seconds} s: ${round(followed.framesPerSecond)} frames/s at the median (budget at least 59)`,
    against('main thread a frame', followed.perFrame, 4, 'ms', 2),
    against('main thread, share of a core', followed.share, 0.5, '', 2),
    `heap: ${round(followed.heap)} MB`,
  ]
  const played = await studio(browser, origin, plays)
  yield [
    against('first sound after play, median', played.sound, 150, 'ms'),
    against('main thread for a redraw of the waveform', played.redraw, 8, 'ms', 2),
  ]
}
