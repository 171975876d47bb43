import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compressedPage, readAssets, type StaticFile } from './files.ts'

/** What the page knows before its first request. */
export type PageFacts = {
  version: string
  mounts: readonly string[]
  sign_in: string | null
  base: string
  /** Whether branches can be managed, by the admin key. */
  has_admin_key: boolean
}

export type WebApp = { entry: StaticFile; assets: ReadonlyMap<string, StaticFile> }

/** What was found where a build is expected. */
export type FoundWebApp =
  | { kind: 'built'; app: WebApp }
  | { kind: 'missing' }
  /** `reason` is the code of the error, such as EACCES, or a few words. */
  | { kind: 'unreadable'; reason: string }

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

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : String(error)

const absent = new Set(['ENOENT', 'ENOTDIR'])

/** Reads the web app of a folder. Without the page there is no build; anything else that fails is a build that cannot be used. */
const readFolder = (folder: string, facts: PageFacts): FoundWebApp => {
  try {
    const html = readFileSync(join(folder, 'index.html'), 'utf8')
    const assets = readAssets(join(folder, 'assets'))
    if (assets.size === 0) return { kind: 'unreadable', reason: 'it has no assets' }
    return { kind: 'built', app: { entry: compressedPage(fillEntry(html, facts)), assets } }
  } catch (error) {
    const code = codeOf(error)
    return absent.has(code) ? { kind: 'missing' } : { kind: 'unreadable', reason: code }
  }
}

/** Reads the built web app from its folder, or from the first of the usual ones that has a build. */
export const readWebApp = (folder: string | undefined, facts: PageFacts): FoundWebApp => {
  for (const path of folder === undefined ? usualFolders() : [folder]) {
    const found = readFolder(path, facts)
    if (found.kind !== 'missing') return found
  }
  return { kind: 'missing' }
}
