/**
 * Regenerates all generated files and fails if one differs from the repository. Works on a copy of the checkout, because tests read these
 * files at the same time.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folders = process.argv.slice(2)

const run = (folder: string, command: string, ...args: string[]) => {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' })
  return { isGood: status === 0, output: `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`, stdout }
}

const must = (folder: string, command: string, ...args: string[]): string => {
  const { isGood, output, stdout } = run(folder, command, ...args)
  if (isGood) return stdout
  throw new Error(`${command} ${args.join(' ')} failed.\n${output}`)
}

const copy = mkdtempSync(join(tmpdir(), 'trellis-generated-'))
try {
  const listed = must(root, 'git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0')
  for (const file of listed.filter((name) => name !== '' && existsSync(join(root, name))))
    cpSync(join(root, file), join(copy, file), { preserveTimestamps: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  must(copy, process.execPath, 'scripts/run.mjs', 'generate')
  const changed = folders.flatMap((folder) => {
    const { isGood, output } = run(root, 'git', 'diff', '--no-index', '--stat', '--', folder, join(copy, folder))
    return isGood ? [] : [output]
  })
  if (changed.length > 0) throw new Error(`Run "npm run generate" and commit what it changes:\n${changed.join('\n')}`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
} finally {
  rmSync(copy, { recursive: true, force: true })
}
