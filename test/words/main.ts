/**
 * Counts private words per folder and compares them with `ceilings.json`. Exits with 1 if a folder exceeds its ceiling. With `--lower` it lowers the
 * ceilings to the counts; with a path it lists the lines with private words below that path.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { repositoryFiles } from '../support/repository-files.ts'
import { linesWithPrivateWords } from './private-words.ts'

const ceilingsFile = new URL('./ceilings.json', import.meta.url)
const folders = JSON.parse(await readFile(ceilingsFile, 'utf8')) as Record<string, number>
const root = fileURLToPath(new URL('../../', import.meta.url))

/** The innermost folder in `ceilings.json` that contains a file. */
const folderOf = (path: string): string | undefined =>
  Object.keys(folders)
    .filter((folder) => path.startsWith(`${folder}/`))
    .toSorted((a, b) => b.length - a.length)[0]

/** Generated and vendored files are not written here, and this folder names the words. */
const isRead = (path: string): boolean =>
  !path.includes('/gen/') && !path.startsWith('protos/vendor/') && !path.startsWith('test/words/')

const [argument] = process.argv.slice(2)
const listed = argument !== undefined && argument !== '--lower' ? argument : undefined
const counts: Record<string, { words: number; lines: number }> = {}
for (const path of repositoryFiles(root, ['ts', 'svelte', 'proto', 'md', 'yaml', 'yml', 'tpl'])) {
  const folder = folderOf(path)
  if (folder === undefined || !isRead(path)) continue
  const content = await readFile(`${root}${path}`, 'utf8')
  const lines = linesWithPrivateWords(content)
  counts[folder] ??= { words: 0, lines: 0 }
  counts[folder].words += lines.reduce((total, { words }) => total + words.length, 0)
  counts[folder].lines += content.split('\n').length
  if (listed !== undefined && path.startsWith(listed))
    for (const { number, text } of lines) console.info(`${path}:${number}: ${text.trim()}`)
}

if (listed === undefined) {
  let isOver = false
  for (const [folder, ceiling] of Object.entries(folders)) {
    const { words, lines } = counts[folder] ?? { words: 0, lines: 1 }
    const per = ((words / lines) * 1_000).toFixed(1)
    // One in 1,000 lines is ordinary English.
    const isFolderOver = words > Math.max(ceiling, Math.ceil(lines / 1_000))
    isOver ||= isFolderOver
    console.info(
      `${isFolderOver ? 'OVER ' : ''}${folder}: ${words} private words (${per} in 1,000 lines), at most ${ceiling}`,
    )
  }
  if (isOver) {
    console.error(
      'Too many private words. List them with `node test/words/main.ts <folder>`; docs/glossary.md has alternatives.',
    )
    process.exitCode = 1
  }
  if (argument === '--lower') {
    const lowered = Object.fromEntries(
      Object.entries(folders).map(([folder, ceiling]) => [folder, Math.min(ceiling, counts[folder]?.words ?? 0)]),
    )
    await writeFile(ceilingsFile, `${JSON.stringify(lowered, undefined, 2)}\n`)
  }
}
