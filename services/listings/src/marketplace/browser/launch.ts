import { rmSync } from 'node:fs'
import { access, constants, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { marketplaceFailure } from '../failures.ts'

export type ChromiumOptions = {
  /** Path of Chromium, or of its headless shell. */
  readonly executable: string
  /** Whether Chromium sandboxes its renderers, which needs user namespaces and a user other than root. */
  readonly hasSandbox: boolean
}

/** Limit of the JavaScript heap of one page, in MiB. */
const scriptMemory = 256
/** Timeout of a start, in milliseconds: a busy machine takes seconds. */
const longestStart = 30_000

/**
 * Cuts Chromium off from the network: names and addresses resolve to nothing, and WebRTC cannot bypass that. Content of pages
 * comes through our own requests (see render.ts), so every rule for those applies to pages as well.
 */
const unreachable = [
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
]

const frugal = [
  '--disable-gpu',
  '--disable-crash-reporter',
  '--blink-settings=imagesEnabled=false',
  '--renderer-process-limit=3',
  `--js-flags=--max-old-space-size=${scriptMemory}`,
]

/** Why Chromium does not start, in a sentence for the operator. */
const reasonOf = (error: unknown, { executable }: ChromiumOptions): string => {
  const words = error instanceof Error ? error.message : String(error)
  if (/sandbox/i.test(words) && /root without|No usable sandbox|namespace/i.test(words))
    return `${executable} cannot use its sandbox (it needs user namespaces and a user other than root): set LISTINGS_CHROMIUM_SANDBOX=0`
  const last = /(?:ERROR|FATAL)[^\n]*|ENOENT|EACCES/.exec(words)?.[0] ?? words.split('\n')[0]
  return `${executable} does not start (${last?.slice(0, 200)})`
}

/**
 * Starts Chromium without hiding that it is automated. It is controlled over a pipe, so it exits when this process does,
 * however that ends. It gets none of our environment variables, and writes only below the temporary directory.
 */
export const launchChromium = async (options: ChromiumOptions): Promise<Browser> => {
  try {
    await access(options.executable, constants.X_OK)
  } catch (cause) {
    throw marketplaceFailure('noBrowser', `${options.executable} is not an executable program`, { cause })
  }
  // A large library, loaded lazily: workers that need no browser never load it.
  const { chromium } = await import('playwright-core')
  const home = await mkdtemp(join(tmpdir(), 'trellis-chromium-'))
  const clear = () => {
    process.removeListener('exit', clear)
    rmSync(home, { recursive: true, force: true, maxRetries: 3 })
  }
  process.once('exit', clear)
  try {
    const browser = await chromium.launch({
      executablePath: options.executable,
      headless: true,
      chromiumSandbox: options.hasSandbox,
      args: [...unreachable, ...frugal],
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', HOME: home, TMPDIR: home, XDG_CONFIG_HOME: home },
      artifactsDir: home,
      timeout: longestStart,
      // The worker handles signals.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    })
    browser.once('disconnected', clear)
    return browser
  } catch (error) {
    clear()
    throw marketplaceFailure('noBrowser', reasonOf(error, options), { cause: error })
  }
}
