import { rmSync } from 'node:fs'
import { access, constants, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { marketplaceFailure } from '../failures.ts'

export type ChromiumOptions = {
  /** Path of Chromium, or of its headless shell. */
  readonly executable: string
  /** Whether Chromium puts what shows pages into its own sandbox; it needs user namespaces and another user than root. */
  readonly hasSandbox: boolean
}

/** Most of JavaScript's memory in one page, in MiB. */
const scriptMemory = 256
/** Longest start, in milliseconds: a busy machine takes seconds. */
const longestStart = 30_000

/**
 * Chromium reaches no network: names and addresses resolve to nothing, and there are no ways around (WebRTC). What pages
 * are made of comes through our own requests (see render.ts), so every rule for those holds for pages as well.
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

/** What keeps Chromium from starting, in a sentence for the person who configures it. */
const reasonOf = (error: unknown, { executable }: ChromiumOptions): string => {
  const words = error instanceof Error ? error.message : String(error)
  if (/sandbox/i.test(words) && /root without|No usable sandbox|namespace/i.test(words))
    return `${executable} finds no way to its sandbox here (user namespaces, another user than root); LISTINGS_CHROMIUM_SANDBOX=0 does without`
  const last = /(?:ERROR|FATAL)[^\n]*|ENOENT|EACCES/.exec(words)?.[0] ?? words.split('\n')[0]
  return `${executable} does not start (${last?.slice(0, 200)})`
}

/**
 * Starts Chromium, honestly: it says that it is automated to any page that asks. It speaks over a pipe, of which it hears
 * when we are gone, however we went; it sees no environment of ours, and writes nowhere but below the temporary directory.
 */
export const launchChromium = async (options: ChromiumOptions): Promise<Browser> => {
  try {
    await access(options.executable, constants.X_OK)
  } catch (cause) {
    throw marketplaceFailure('noBrowser', `${options.executable} is no program that can be run`, { cause })
  }
  // A large library, which a worker that needs no browser never loads.
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
      // Signals are the worker's to answer.
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
