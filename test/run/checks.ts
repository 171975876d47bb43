import { fileURLToPath } from 'node:url'
import { type Counts, print, run } from './process.ts'

const generated = [
  'protos/gen',
  'test/probe/gen',
  'crds',
  'docs/reference/kinds.md',
  'charts/trellis/files/crds',
  'charts/trellis/values.schema.json',
]

const has = async (command: string, ...args: string[]): Promise<boolean> => {
  try {
    return (await run(command, args, true)).code === 0
  } catch {
    return false
  }
}

type Check = {
  name: string
  command: string
  args: string[]
  /** Returns a reason if the check cannot run here. */
  unless?: () => Promise<string | undefined>
}

const notRepository = async () =>
  (await has('git', 'rev-parse', '--verify', 'HEAD')) ? undefined : 'this is not a git checkout'

const checks: Check[] = [
  { name: 'types', command: 'tsc', args: ['--noEmit'] },
  {
    name: 'lint, format and import rules',
    command: 'biome',
    args: ['check', '--error-on-warnings', '--max-diagnostics=50'],
  },
  { name: 'protos lint', command: 'buf', args: ['lint'] },
  {
    name: 'protos format',
    command: 'buf',
    args: ['format', '--diff', '--exit-code', '--path', 'protos/trellis', '--path', 'test/probe/trellis'],
  },
  {
    name: 'protos stay compatible with the released ones',
    command: 'buf',
    args: ['breaking', 'protos', '--against', 'protos/released.binpb'],
  },
  {
    name: 'private words stay below their ceilings',
    command: process.execPath,
    args: [fileURLToPath(new URL('../words/main.ts', import.meta.url))],
  },
  {
    name: 'generated files are fresh',
    command: process.execPath,
    args: [fileURLToPath(new URL('./fresh.ts', import.meta.url)), ...generated],
    unless: notRepository,
  },
]

/** Runs types, lint, protos and other checks sequentially. They write nothing into the checkout, so they can run beside the tests. */
export const runChecks = async (): Promise<Counts> => {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const { name, command, args, unless } of checks) {
    const reason = await unless?.()
    if (reason !== undefined) {
      print(`skipped  ${name}: ${reason}`)
      counts.skipped += 1
      continue
    }
    const began = performance.now()
    const { code, output } = await run(command, args, true)
    const took = `${((performance.now() - began) / 1_000).toFixed(1)} s`
    print(`${code === 0 ? 'passed ' : 'FAILED '}  ${name} (${took})`)
    if (code !== 0) print(output)
    counts[code === 0 ? 'passed' : 'failed'] += 1
  }
  return counts
}
