/** Generates everything anew and fails if that changes a committed file: what is generated must be what is in the repository. */
import { spawnSync } from 'node:child_process'

const folders = process.argv.slice(2)

const must = (command: string, ...args: string[]): string => {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
  if (status === 0) return stdout
  process.stderr.write(`${command} ${args.join(' ')} failed.\n${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}\n`)
  process.exit(1)
}

const status = () => must('git', 'status', '--porcelain', '--', ...folders)

// A file that was written again with what it held is a change to "stash create", which then fails, until the index is looked at anew.
must('git', 'status', '--porcelain')
const before = must('git', 'stash', 'create') || 'HEAD'
must(process.execPath, 'scripts/run.mjs', 'generate')
const changed = must('git', 'diff', '--stat', before.trim(), '--', ...folders)
const added = status()
  .split('\n')
  .filter((line) => line.startsWith('??'))
if (changed !== '' || added.length > 0) {
  process.stderr.write(`Run "npm run generate" and commit what it changes:\n${changed}${added.join('\n')}\n`)
  process.exit(1)
}
