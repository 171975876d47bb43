import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compressedPage, readAssets, type StaticFile } from './files.ts'

/** What the page knows before its first request. */
export type PageFacts = { version: string; mounts: readonly string[]; sign_in: string | null; base: string }

export type WebApp = { entry: StaticFile; assets: ReadonlyMap<string, StaticFile> }

/** Where a build is expected: where `npm start` writes it, or beside the program in an image. */
const usualFolders = (): string[] =>
  ['../../../../node_modules/.cache/web/', './web/'].map((path) => fileURLToPath(new URL(path, import.meta.url)))

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** The page with this installation's base path and facts; the built page refers to its assets relatively. */
export const fillEntry = (html: string, facts: PageFacts): string =>
  html
    .replaceAll('"./assets/', `"${escaped(facts.base)}/assets/`)
    .replace(
      '<meta name="trellis" content="{}"',
      () => `<meta name="trellis" content="${escaped(JSON.stringify(facts))}"`,
    )

/** Reads the built web app, or returns undefined where there is none. */
export const readWebApp = (folder: string | undefined, facts: PageFacts): WebApp | undefined => {
  const found = (folder === undefined ? usualFolders() : [folder]).find((path) => existsSync(join(path, 'index.html')))
  if (found === undefined) return undefined
  return {
    entry: compressedPage(fillEntry(readFileSync(join(found, 'index.html'), 'utf8'), facts)),
    assets: readAssets(join(found, 'assets')),
  }
}
