import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { buildFolder } from '@trellis/web/build'

/** A file of the build: its size in KB, gzipped, and the files that it imports before it runs. */
type BuiltFile = { size: number; imports: readonly string[] }

const imported = /(?:from|import)\s*["`']\.\/([^"`']+\.js)["`']/g

/** What the first page of each service shows to who has no data yet, besides the page itself: parts that are files of their own. */
const shownAtFirst: Readonly<Record<string, readonly string[]>> = {
  '/listings': ['UnreadCount'],
  '/logs': ['NothingFound'],
}

/** The scripts and styles of the build, and what a visit loads of them. */
export const readBuiltFiles = async () => {
  const folder = join(buildFolder, 'assets')
  const names = (await readdir(folder)).filter((name) => /\.(?:js|css)$/.test(name))
  const texts = new Map<string, string>()
  for (const name of names) texts.set(name, await readFile(join(folder, name), 'utf8'))
  const files = new Map<string, BuiltFile>()
  for (const [name, text] of texts)
    files.set(name, {
      size: gzipSync(text).length / 1_000,
      imports: [...text.matchAll(imported)].map(([, path]) => path ?? ''),
    })
  const entry = await readFile(join(buildFolder, 'index.html'), 'utf8')
  const inEntry = (suffix: string): string[] => names.filter((name) => name.endsWith(suffix) && entry.includes(name))

  /** Files, and those that they import, directly or through others. */
  const withImports = (chosen: readonly string[]): Set<string> => {
    const found = new Set(chosen)
    for (const name of found) for (const each of files.get(name)?.imports ?? []) found.add(each)
    return found
  }
  const pageAt = (path: string): string => {
    const route = new RegExp(`path:[\`"']${path}[\`"'],title:.*?import\\([\`"']\\./(Page-[^\`"']+)[\`"']\\)`)
    for (const text of texts.values()) {
      const found = route.exec(text)?.[1]
      if (found !== undefined) return found
    }
    throw new Error(`The build has no page at ${path}.`)
  }
  return {
    names,
    pages: names.filter((name) => name.startsWith('Page-') && name.endsWith('.js')),
    /** The scripts and styles that every visit loads. */
    shell: { scripts: inEntry('.js'), styles: inEntry('.css') },
    /** The scripts of a first visit of a page. */
    visitOf: (page: string): Set<string> => withImports([...inEntry('.js'), page]),
    /** The scripts of a first visit at a path, until everything is there that is shown without any data. */
    firstVisitAt: (path: string): Set<string> => {
      const isShown = (name: string) => shownAtFirst[path]?.some((part) => name.startsWith(`${part}-`)) ?? false
      const parts = names.filter((name) => name.endsWith('.js') && isShown(name))
      return withImports([...inEntry('.js'), pageAt(path), ...parts])
    },
    /** The size of files together, in KB. */
    sizeOf: (chosen: Iterable<string>): number =>
      [...chosen].reduce((total, name) => total + (files.get(name)?.size ?? 0), 0),
  }
}
