import { accessSync, constants } from 'node:fs'

const canRun = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The browser of this machine: the one that is named, else the smallest that Debian's packages bring. */
export const chromium = [
  process.env.LISTINGS_CHROMIUM ?? '',
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
].find(canRun)

/** Why there is none, for the names of tests that are skipped for it. */
export const chromiumMissing =
  chromium === undefined
    ? 'LISTINGS_CHROMIUM names no program, and neither chromium-headless-shell nor chromium is there'
    : ''

export const isRoot = process.getuid?.() === 0

/** How a test starts it. Root has no sandbox. */
export const chromiumOptions = { executable: chromium ?? '', hasSandbox: !isRoot }
