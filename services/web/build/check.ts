/** Part of `npm run check`: checks the types and the accessibility hints of the components. */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { webRoot } from './folders.ts'

const require = createRequire(import.meta.url)
const program = join(dirname(require.resolve('svelte-check/package.json')), 'bin', 'svelte-check')
// `--tsgo`: the native compiler checks what svelte-check has translated.
const { status } = spawnSync(
  process.execPath,
  [program, '--tsconfig', 'tsconfig.json', '--tsgo', '--fail-on-warnings', '--output', 'human'],
  { cwd: webRoot, stdio: 'inherit' },
)
process.exitCode = status ?? 1
