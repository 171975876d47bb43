import { accessSync, constants } from 'node:fs'

const canRun = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The browser of this machine: LISTINGS_CHROMIUM, otherwise the smallest of Debian's packages. */
export const chromium = [
  process.env.LISTINGS_CHROMIUM ?? '',
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
].find(canRun)

/** Why there is no browser, for the names of skipped tests. */
export const chromiumMissing =
  chromium === undefined
    ? 'LISTINGS_CHROMIUM names no program, and neither chromium-headless-shell nor chromium is installed'
    : ''

export const isRoot = process.getuid?.() === 0

/** Options to start the browser in tests. As root it has no sandbox. */
export const chromiumOptions = { executable: chromium ?? '', hasSandbox: !isRoot }
